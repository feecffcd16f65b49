"""One Protocol per file; its docstring is the contract."""
