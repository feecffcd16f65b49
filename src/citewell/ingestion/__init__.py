"""Journey 1: a file becomes searchable."""
