"""Journey 2: a question becomes a cited answer."""
