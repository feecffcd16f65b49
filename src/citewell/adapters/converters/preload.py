"""Load the conversion libraries before workers are forked, so that each starts in milliseconds."""

from __future__ import annotations

import importlib
import sys
import types

_LIGHT = ("msgpack", "pypdfium2", "pypdfium2.raw", "charset_normalizer", "yaml", "bs4")
_HEAVY = ("markitdown.converters", "openpyxl", "xlrd", "docx", "pptx", "email.policy")


def preload_light() -> None:
    """Load what PDF, Markdown and plain text need (0.2 s)."""
    _import_available(_LIGHT)


def preload_everything() -> None:
    """Load the office converters (1 s).

    Only for a process of our own: markitdown imports two packages that our use of it never
    calls. `magika` (with onnxruntime) guesses file types and starts a thread, which must not
    exist when a process forks; `pandas` reads spreadsheets, which we do ourselves, and takes
    half of the time. The first is replaced by an empty module, the second is reported missing,
    which markitdown handles.
    """
    sys.modules.setdefault("magika", types.ModuleType("magika"))
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
    _import_available(_HEAVY)


def _import_available(names: tuple[str, ...]) -> None:
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # the converter that needs it says so, with the file's name
