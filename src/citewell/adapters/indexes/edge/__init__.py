"""Qdrant Edge in a process of its own."""
