"""Documents, sources and cited places, for readers to look at."""
