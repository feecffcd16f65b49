"""What language models are told; each prompt is a Markdown file."""
