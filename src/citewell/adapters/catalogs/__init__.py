"""Catalogs: the only truth, in SQL."""
