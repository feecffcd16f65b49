"""Notes that converters leave for the operator."""

from __future__ import annotations

from dataclasses import replace

from citewell.domain.document import ConvertedDocument


def add_notes(document: ConvertedDocument, *notes: str) -> ConvertedDocument:
    """Return the document with those of `notes` that are not empty."""
    return replace(document, notes=(*document.notes, *(note for note in notes if note)))


def removed_note(n_characters: int) -> str:
    """Return the note on removed invisible characters, "" for none."""
    if not n_characters:
        return ""
    return f"removed {n_characters} invisible character{'s' if n_characters > 1 else ''}"


def hidden_note(n_places: int) -> str:
    """Return the note on text that a reader of the original does not see, "" for none."""
    if not n_places:
        return ""
    return f"text in {n_places} place{'s' if n_places > 1 else ''} is hidden in the original"
