"""Language models: servers that speak OpenAI's, Ollama's or Anthropic's protocol."""
