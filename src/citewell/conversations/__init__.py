"""What readers said and were answered: kept, shown again as far as it may be, forgotten."""
