"""What a model wrote, as sentences or as JSON."""
