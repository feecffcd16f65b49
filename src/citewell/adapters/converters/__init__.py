"""Adapters of the converter port: bytes of any file type become text inside a sandbox."""
