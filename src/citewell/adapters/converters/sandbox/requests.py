"""What the fork server is asked for, one byte beside the descriptor."""

LIGHT = b"l"
"""A worker with what is loaded already."""

WITH_EVERYTHING = b"e"
"""A worker with the office converters loaded."""
