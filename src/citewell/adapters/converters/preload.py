"""Load the conversion libraries before workers are forked, so that each starts in milliseconds."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import PurePosixPath
from typing import cast

_LIGHT = ("msgpack", "pypdfium2", "pypdfium2.raw", "charset_normalizer", "yaml")
_HEAVY = ("bs4", "markitdown.converters", "openpyxl", "xlrd", "pptx", "email.policy")

# Packages (office files and archives) and the old office formats; what is packed otherwise.
_HEAVY_STARTS = (b"PK", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
_HEAVY_SUFFIXES = frozenset(
    {
        *(".html", ".htm", ".xhtml", ".html5", ".shtml", ".ipynb", ".tar"),
        *(".eml", ".mht", ".mhtml", ".mbox", ".xml", ".rss", ".atom"),
    }
)


def leave_out_unused_packages() -> None:
    """Keep two packages out that markitdown imports and our use of it never calls.

    Only for a process of our own. `magika` (with onnxruntime) guesses file types and starts a
    thread, which must not exist when a process forks; it is replaced by an empty module.
    `pandas` reads spreadsheets, which we do ourselves, and takes half of the time; it is
    reported missing, which markitdown handles.
    """
    sys.modules.setdefault("magika", types.ModuleType("magika"))
    modules = cast("dict[str, types.ModuleType | None]", sys.modules)
    modules.setdefault("pandas", None)


def needs_everything(data: bytes, relative_path: str) -> bool:
    """Return whether a file is likely to need what `preload_everything` loads.

    A guess from its first bytes and its name: a worker without them loads them itself, in a second.
    """
    suffix = PurePosixPath(relative_path).suffix.lower()
    return data.startswith(_HEAVY_STARTS) or suffix in _HEAVY_SUFFIXES


def preload_light() -> None:
    """Load what PDF, Markdown and plain text need (0.2 s)."""
    _import_available(_LIGHT)


def preload_everything() -> None:
    """Load the office converters too (1 s)."""
    _import_available(_HEAVY)


def _import_available(names: tuple[str, ...]) -> None:
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # the converter that needs it says so, with the file's name
