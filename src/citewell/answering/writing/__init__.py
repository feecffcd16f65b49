"""What is put before a model, and what becomes of its reply; quotes where there is none."""
