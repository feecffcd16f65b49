"""What an error reply of an embedding server means."""

from __future__ import annotations

from citewell.adapters.embedders.retry import TransientError
from citewell.domain.errors import ConfigurationError, EmbedderError, InvalidDocumentError
from citewell.domain.retry_after import parse_retry_after

# How OpenAI, vLLM, TEI, Ollama and llama.cpp say that a text is longer than the model reads; some
# say so with 500. Compared in lower case.
_TOO_LONG = (
    "context length",
    "context size",
    "context window",
    "must have less than",
    "too large to process",
    "too many tokens",
    "input is too long",
    "maximum input length",
)
_NO_QUOTA = "insufficient_quota"
_TRANSIENT = frozenset({408, 409, 425, 429})


def failed_reply(status: int, body: str, *, retry_after: str | None) -> Exception:
    """Return the error to raise for a reply whose status is not 200.

    Args:
        status: HTTP status.
        body: Searched for known phrases, never repeated: it may quote what was sent.
        retry_after: The header of that name.

    Returns:
        `TransientError` for what may pass, `InvalidDocumentError` for a text too long for the
        model, `ConfigurationError` for what an operator must change, `EmbedderError` for an
        account that is used up.
    """
    text = body.lower()
    if any(phrase in text for phrase in _TOO_LONG):
        return InvalidDocumentError(
            "a passage is longer than the embedding model reads: lower CHUNK_MAX_TOKENS and run "
            "`rag sync`"
        )
    if status in {401, 403}:
        return ConfigurationError(
            f"the embedding server refused the key (HTTP {status}): check EMBEDDING_API_KEY"
        )
    if status == 404:
        return ConfigurationError(
            "the embedding server knows no such model or address (HTTP 404): check EMBEDDING_MODEL "
            "and EMBEDDING_BASE_URL, and that the model is installed there"
        )
    if _NO_QUOTA in text:
        return EmbedderError("the account at the embedding server is used up")
    if status in _TRANSIENT or status >= 500:
        return TransientError(f"HTTP {status}", retry_after_s=parse_retry_after(retry_after))
    return ConfigurationError(
        f"the embedding server refused the request (HTTP {status}): check EMBEDDING_BASE_URL, "
        "EMBEDDING_MODEL and EMBEDDING_DIM, and lower EMBEDDING_BATCH_SIZE"
    )
