"""Bodies of requests and replies, with examples."""
