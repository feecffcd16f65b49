"""Pure rules of who may see what."""
