"""Keeps a library from setting up the logging of the whole process."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def keeping_loggers() -> Generator[None]:
    """Leave handlers and level of the root logger as they were before."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        for handler in [each for each in root.handlers if each not in handlers]:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)
