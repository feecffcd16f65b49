"""The keys with which an issuer signs, by discovery (OpenID Connect Discovery 1.0, RFC 8414)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from citewell.adapters.identity.fetch_document import fetch_document, is_loopback_url
from citewell.domain.errors import UnavailableError

if TYPE_CHECKING:
    from jwt import PyJWK

ALGORITHMS: Mapping[str, frozenset[str]] = {
    "RSA": frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}),
    "P-256": frozenset({"ES256"}),
    "P-384": frozenset({"ES384"}),
    "P-521": frozenset({"ES512"}),
    "Ed25519": frozenset({"EdDSA"}),
}
"""What each kind of key can sign with; none of it is a shared secret."""

_MAX_KEYS = 50

IssuerKeys = Mapping[tuple[str, str], "PyJWK"]
"""Public keys by their name ("" where a key has none) and an algorithm."""


def fetch_issuer_keys(issuer: str, *, algorithms: Sequence[str]) -> IssuerKeys:
    """Return the keys with which an issuer signs now.

    Args:
        issuer: Its URL, exactly as it stands in tokens.
        algorithms: Those that are accepted; keys for none of them are left out.

    Raises:
        UnavailableError: The issuer cannot be asked, names another issuer, or has no such key.
    """
    found = fetch_document(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if found.get("issuer") != issuer:
        raise UnavailableError(f"what {issuer} publishes is about another issuer")
    keys_url = found.get("jwks_uri")
    if not isinstance(keys_url, str) or not _may_ask(keys_url, issuer):
        raise UnavailableError(f"{issuer} names no address of its keys that may be asked")
    listed = fetch_document(keys_url).get("keys")
    if not isinstance(listed, list):
        raise UnavailableError(f"{keys_url} lists no keys")
    keys = read_keys(cast("list[Any]", listed), algorithms=algorithms)
    if not keys:
        raise UnavailableError(f"{keys_url} lists no key for {', '.join(algorithms)}")
    return keys


def read_keys(listed: Sequence[Any], *, algorithms: Sequence[str]) -> IssuerKeys:
    """Return the keys of a set that sign with one of these algorithms; others are left out."""
    keys: dict[tuple[str, str], PyJWK] = {}
    twice: set[tuple[str, str]] = set()
    for each in listed[:_MAX_KEYS]:
        for algorithm in algorithms:
            key = _read(each, algorithm)
            if key is not None:
                name = (key.key_id or "", algorithm)
                if name in keys:
                    twice.add(name)
                keys[name] = key
    return {name: key for name, key in keys.items() if name not in twice}


def _read(jwk: Any, algorithm: str) -> PyJWK | None:
    """Return a key if it is there to check signatures made with an algorithm."""
    from jwt import PyJWK
    from jwt.exceptions import PyJWTError

    if not isinstance(jwk, dict):
        return None
    values = cast("dict[str, Any]", jwk)
    kind = values.get("kty") if values.get("kty") == "RSA" else values.get("crv")
    if not isinstance(kind, str) or algorithm not in ALGORITHMS.get(kind, ()):
        return None
    is_for_signatures = values.get("use", "sig") == "sig" and "d" not in values
    if not is_for_signatures or values.get("alg", algorithm) != algorithm:
        return None
    if not isinstance(values.get("kid", ""), str):
        return None
    try:
        return PyJWK(values, algorithm)
    except (PyJWTError, ValueError, TypeError, ArithmeticError):
        return None  # a key that nobody can read signs nothing


def _may_ask(url: str, issuer: str) -> bool:
    """Return whether keys may come from a URL: over TLS, or all on this machine."""
    try:
        is_secure = urlsplit(url).scheme == "https"
    except ValueError:
        return False
    on_this_machine = is_loopback_url(issuer) and urlsplit(url).scheme == "http"
    return is_secure or (on_this_machine and is_loopback_url(url))
