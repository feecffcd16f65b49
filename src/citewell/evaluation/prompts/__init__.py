"""What the evaluation asks language models."""
