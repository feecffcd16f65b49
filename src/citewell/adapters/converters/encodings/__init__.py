"""Bytes of plain text in any encoding become clean Unicode."""
