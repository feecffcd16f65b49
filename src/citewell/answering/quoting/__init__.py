"""Answers without a model: which words of the passages answer best, exactly quoted."""
