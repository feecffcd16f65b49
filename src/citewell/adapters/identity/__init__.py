"""Issuers of tokens, and the token of this machine's owner."""
