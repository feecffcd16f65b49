"""The token by which commands on this machine reach a running server as its owner.

It lies in the data folder, for its owner only: who can read it can read the documents too.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from citewell.access.api_keys import LOCAL_MARK
from citewell.domain.errors import ConfigurationError

FILE = "server-token"
_SECRET_BYTES = 32
_MAX_BYTES = 256


def renew_local_token(data_dir: Path) -> str:
    """Write a new token, which replaces that of an earlier server, and return it.

    Raises:
        ConfigurationError: It cannot be written.
    """
    token = f"{LOCAL_MARK}{secrets.token_urlsafe(_SECRET_BYTES)}"
    new = data_dir / f"{FILE}.{secrets.token_hex(8)}"
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(token)
        new.replace(data_dir / FILE)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise ConfigurationError(
            f"the token for commands cannot be written to {data_dir}: {error.strerror}"
        ) from error
    return token


def read_local_token(data_dir: Path) -> str | None:
    """Return the token of the server that runs on a data folder; None if there is none."""
    try:
        handle = os.open(data_dir / FILE, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(handle, encoding="ascii") as file:
            return file.read(_MAX_BYTES)
    except (OSError, UnicodeDecodeError):
        return None


def remove_local_token(data_dir: Path) -> None:
    """Remove the token; nothing happens where there is none."""
    with suppress(OSError):
        (data_dir / FILE).unlink()
