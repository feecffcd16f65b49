"""Citewell: ask your own documents and check every answer."""
