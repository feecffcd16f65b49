"""One file per migration, in order."""
