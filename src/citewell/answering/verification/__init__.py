"""Checking that passages support a sentence, and that the sentence answers the question."""
