"""The data folder, held by one process at a time."""
