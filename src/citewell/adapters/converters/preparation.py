"""Naming the function that prepares documents, for processes that import it themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from citewell.domain.document import ConvertedDocument
from citewell.domain.prepared import PreparedDocument

Prepare = Callable[[ConvertedDocument, str], PreparedDocument]
"""Cuts and weighs a document with a relative path; raises `InvalidDocumentError`."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """How workers prepare what they have converted.

    Attributes:
        maker: `module:function`; called with `options`, it returns what prepares a document.
        options: Plain JSON, without secrets: workers read hostile files.
    """

    maker: str
    options: Mapping[str, Any]

    def make(self) -> Prepare:
        """Import the maker and call it."""
        module, _, function = self.maker.partition(":")
        return getattr(import_module(module), function)(self.options)
