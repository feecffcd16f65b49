"""One question on its way: its searches, its model, its times."""
