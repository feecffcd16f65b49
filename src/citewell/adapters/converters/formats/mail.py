"""E-mail messages: headers, the best text part, and the names of attachments."""

from __future__ import annotations

import email
import email.policy
from email.message import Message
from typing import cast

from citewell.adapters.converters.encodings.declared import decode_declared
from citewell.adapters.converters.formats.html import convert_html_text
from citewell.adapters.converters.formats.markdown_output import tidy_markdown
from citewell.adapters.converters.notes import add_notes
from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import DocumentError, ProtectedDocumentError, UnsupportedDocumentError

_HEADERS = ("Subject", "From", "To", "Cc", "Date")
_ENCRYPTED_TYPES = frozenset({"multipart/encrypted", "application/pgp-encrypted"})
_SMIME_TYPES = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_MAX_DEPTH = 5
_MAX_PARTS = 500


def convert_mail(data: bytes) -> ConvertedDocument:
    """Return headers and text of a message and of the messages in it.

    Raises:
        ProtectedDocumentError: The message is encrypted.
        UnsupportedDocumentError: It has neither headers nor text.
    """
    message = email.message_from_bytes(data.lstrip(b"\r\n"), policy=email.policy.default)
    attachments: list[str] = []
    text, is_markdown = _render(message, attachments, depth=0)
    if not text.strip():
        raise UnsupportedDocumentError("not a mail message: it has neither headers nor text")
    document = ConvertedDocument(
        text,
        "markdown" if is_markdown else "plain",
        title=_header(message, "Subject"),
        converter="mail-1",
    )
    return add_notes(document, _attachment_note(attachments))


def _render(message: Message, attachments: list[str], *, depth: int) -> tuple[str, bool]:
    """Return the text of a message and whether it is Markdown."""
    _refuse_encrypted(message)
    headers = [f"{name}: {value}" for name in _HEADERS if (value := _header(message, name))]
    parts = ["\n".join(headers)] if headers else []
    is_markdown = False
    for part in _text_parts(message, attachments):
        if part.get_content_type() == "message/rfc822":
            inner = cast("list[Message]", part.get_payload())
            if depth < _MAX_DEPTH and inner:
                text, inner_is_markdown = _render(inner[0], attachments, depth=depth + 1)
                parts.append(f"Enclosed message:\n\n{text}")
                is_markdown |= inner_is_markdown
            continue
        text, part_is_markdown = _read_text(part)
        parts.append(text)
        is_markdown |= part_is_markdown
    return "\n\n".join(filter(None, parts)), is_markdown


def _text_parts(message: Message, attachments: list[str]) -> list[Message]:
    """Return the parts to show, of alternatives only the best; note the names of the rest."""
    found: list[Message] = []
    pending = [message]
    n_seen = 0
    while pending and n_seen < _MAX_PARTS:
        part = pending.pop(0)
        n_seen += 1
        content_type = part.get_content_type()
        if content_type == "message/rfc822" and part is not message:
            found.append(part)
        elif content_type == "multipart/alternative":
            pending[:0] = _best_alternative(part)
        elif part.is_multipart() and content_type.startswith("multipart/"):
            pending[:0] = cast("list[Message]", part.get_payload())
        elif (
            part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text"
        ):
            attachments.append(_filename(part))
        else:
            found.append(part)
    return found


def _best_alternative(part: Message) -> list[Message]:
    """Return the plain text, else the HTML, else the richest container."""
    payload = cast("object", part.get_payload())
    if not isinstance(payload, list):
        return []
    children = cast("list[Message]", payload)
    for wanted in ("text/plain", "text/html"):
        for child in children:
            if child.get_content_type() == wanted and _payload(child).strip():
                return [child]
    return children[-1:]


def _read_text(part: Message) -> tuple[str, bool]:
    try:
        decoded = decode_declared(_payload(part), str(part.get_content_charset() or ""))
    except DocumentError:
        return "", False
    if part.get_content_subtype() == "html":
        return convert_html_text(decoded.text).text, True
    return tidy_markdown(decoded.text.replace("\r\n", "\n")), False


def _payload(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        return b""
    return payload if isinstance(payload, bytes) else b""


def _header(message: Message, name: str) -> str:
    """Return a header on one line; a malformed one is ""."""
    try:
        value = str(message.get(name, ""))
    except Exception:  # noqa: BLE001 - the standard parser raises many kinds on odd headers
        return ""
    return " ".join(value.split())


def _filename(part: Message) -> str:
    try:
        name = part.get_filename()
    except Exception:  # noqa: BLE001 - as above
        name = None
    return name or f"unnamed {part.get_content_type()}"


def _refuse_encrypted(message: Message) -> None:
    content_type = message.get_content_type()
    smime_type = str(message.get_param("smime-type", "enveloped-data"))
    if content_type in _ENCRYPTED_TYPES or (
        content_type in _SMIME_TYPES and "signed" not in smime_type
    ):
        raise ProtectedDocumentError("the message is encrypted")


def _attachment_note(attachments: list[str]) -> str:
    if not attachments:
        return ""
    shown = ", ".join(name[:80] for name in attachments[:10])
    more = f" and {len(attachments) - 10} more" if len(attachments) > 10 else ""
    plural = "s" if len(attachments) > 1 else ""
    return f"{len(attachments)} attachment{plural} not read: {shown}{more}"
