"""Caches: disposable memories."""
