"""URLs in settings: what they name, and what of them may be shown."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

_SQLITE = "sqlite:///"


def sqlite_path(url: str) -> Path | None:
    """Return the file that an SQLite URL names, or None if it names none."""
    path = url.removeprefix(_SQLITE).partition("?")[0]
    is_file = url.startswith(_SQLITE) and path not in {"", ":memory:"}
    return Path(path) if is_file and not path.startswith("file:") else None


def sqlite_url(path: Path) -> str:
    """Return the URL of an SQLite file."""
    return f"{_SQLITE}{path}"


def database_name(url: str) -> str:
    """Return the last part of the URL's path, without a suffix such as `.sqlite3`."""
    return Path(urlsplit(url).path).stem


def is_web_address(url: str) -> bool:
    """Return whether it is an http or https URL with a host."""
    return re.match(r"https?://[^/\s?#]+", url) is not None


def is_secure_or_local(url: str) -> bool:
    """Return whether a URL is https, or http on this machine: host and path, nothing else."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    is_local = host in {"localhost", "::1"} or re.fullmatch(r"127(\.\d+){3}", host) is not None
    is_allowed = parts.scheme == "https" or (parts.scheme == "http" and is_local)
    return bool(host) and is_plain and is_allowed and re.search(r"\s", url) is None


def without_credentials(url: str) -> str:
    """Return what may be shown: without all before the last "@" but the scheme, without query."""
    without_query = re.sub(r"(?<=\?).*", "…", url, flags=re.DOTALL)
    return re.sub(r"^(\w[\w+.-]*://)?.*@", r"\1…@", without_query)
