"""Frozen types of every stage, and the errors; standard library only."""
