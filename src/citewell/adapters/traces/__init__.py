"""Adapters that tell what takes how long."""
