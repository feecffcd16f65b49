"""Text to weighted terms: the lexical leg's analyzer and weights."""
