"""Worker processes without network, files, children or endless time and memory."""
