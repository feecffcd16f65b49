"""What an answer may not bring to its reader: links, images, code, and signs that it obeyed."""
