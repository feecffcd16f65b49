"""Change feeds: who tells what changed in a source."""
