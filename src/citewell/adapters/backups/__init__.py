"""Files that hold a copy of the catalog."""
