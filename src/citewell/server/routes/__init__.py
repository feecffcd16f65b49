"""Routes, one file per subject."""
