"""Answers that were given before, and when they may be given again."""
