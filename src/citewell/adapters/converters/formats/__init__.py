"""One module per family of file types: bytes in, text with its structure out."""
