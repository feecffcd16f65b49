"""Puts this folder's samples within reach of the tests below it."""
