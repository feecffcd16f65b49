"""Adapters that keep conversations and feedback."""
