"""What a key looks like, and what is kept of it.

A key is `cw_`, a prefix of 12 characters that is looked up, `_`, and a secret of 256 random bits.
What is kept is the SHA-256 of the whole text. A slow hash protects passwords, which people choose
and which can be guessed; nobody guesses 256 random bits, and every request would pay for it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

_PREFIX_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_PREFIX_CHARACTERS = 12
_SECRET_BYTES = 32
_KEY = re.compile(r"cw_([a-z2-7]{12})_[A-Za-z0-9_-]{43}", flags=re.ASCII)

MARK = "cw_"
"""What every key starts with; tools that look for leaked secrets can look for it."""
LOCAL_MARK = "cwl_"
"""What the token of this machine's owner starts with."""
_NO_DIGEST = bytes(32)


def new_key_text() -> str:
    """Return a new key: 60 random bits that name it, and 256 that nobody can guess."""
    prefix = "".join(secrets.choice(_PREFIX_ALPHABET) for _ in range(_PREFIX_CHARACTERS))
    return f"{MARK}{prefix}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def prefix_of(text: str) -> str | None:
    """Return the part of a key that it is looked up by; None for what is no key."""
    match = _KEY.fullmatch(text)
    return match[1] if match else None


def digest_of(text: str) -> bytes:
    """Return what is kept of a key: 32 bytes."""
    return hashlib.sha256(text.encode()).digest()


def is_same_key(text: str, digest: bytes | None) -> bool:
    """Return whether `digest` is that of a key, in a time that does not tell how far they agree.

    Args:
        text: A key that was presented.
        digest: What is kept; None where nothing is, which takes the same time.
    """
    is_same = hmac.compare_digest(digest_of(text), digest or _NO_DIGEST)
    return is_same and digest is not None
