"""JSON Canvas (Obsidian boards): the text of the cards."""

from __future__ import annotations

import json
from typing import Any, cast

from citewell.adapters.converters.encodings.decode import decode_text
from citewell.adapters.converters.notes import add_notes
from citewell.domain.document import ConvertedDocument


def convert_canvas(data: bytes) -> ConvertedDocument:
    """Return the cards from top to bottom as Markdown; files on the board become links.

    A file that is no canvas is returned as plain text with a note.
    """
    decoded = decode_text(data)
    try:
        board: object = json.loads(decoded.text)
    except ValueError:
        board = None
    nodes = _items(board, "nodes")
    if not nodes:
        note = "not a canvas of a known layout, read as text" if decoded.text.strip() else ""
        document = ConvertedDocument(decoded.text, "plain", converter="text-1")
        return add_notes(document, note, decoded.note)
    nodes.sort(key=lambda node: (_number(node.get("y")), _number(node.get("x"))))
    texts = [text for node in nodes if (text := _text_of(node))]
    labels = [label for edge in _items(board, "edges") if (label := _string(edge.get("label")))]
    links = dict.fromkeys(file for node in nodes if (file := _string(node.get("file"))))
    document = ConvertedDocument(
        "\n\n".join([*texts, *labels]), "markdown", links=tuple(links), converter="canvas-1"
    )
    return add_notes(document, decoded.note)


def _items(board: object, key: str) -> list[dict[str, Any]]:
    items = cast("dict[str, Any]", board).get(key) if isinstance(board, dict) else None
    if not isinstance(items, list):
        return []
    return [
        cast("dict[str, Any]", item) for item in cast("list[Any]", items) if isinstance(item, dict)
    ]


def _text_of(node: dict[str, Any]) -> str:
    return next(
        (text for key in ("text", "label", "file", "url") if (text := _string(node.get(key)))), ""
    )


def _string(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
