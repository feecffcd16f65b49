"""From a question to passages, and whether they are enough."""
