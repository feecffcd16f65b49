"""The MCP door: tools that read, for assistants, over HTTP and over standard input and output."""
