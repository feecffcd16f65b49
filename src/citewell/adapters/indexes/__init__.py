"""Indexes: candidates by terms and by vectors."""
