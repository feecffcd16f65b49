"""What a sentence must pass before a reader sees it."""
