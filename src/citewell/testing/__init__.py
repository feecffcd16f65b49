"""Fakes for every port and contract tests for adapter authors."""
