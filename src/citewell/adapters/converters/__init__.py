"""Converters: bytes to text in a sandbox."""
