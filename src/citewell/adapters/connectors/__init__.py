"""Connectors: what reads sources."""
