"""What a question asks: its words, whether it leans on what was said, and its parts."""
