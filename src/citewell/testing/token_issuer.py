"""An issuer of tokens for tests, over real HTTP: discovery, keys, and signed tokens.

Written from OpenID Connect Discovery 1.0, RFC 7517 and RFC 7519.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from typing_extensions import override

DISCOVERY = "/.well-known/openid-configuration"
KEYS = "/keys"
AUDIENCE = "citewell"

Algorithm = Literal["RS256", "PS256", "ES256", "EdDSA"]
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


def new_private_key(algorithm: str = "ES256", *, rsa_bits: int = 2048) -> PrivateKey:
    """Return a new key that signs with an algorithm."""
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    return rsa.generate_private_key(65_537, rsa_bits)


def public_jwk(key: PrivateKey, algorithm: str, **more: Any) -> dict[str, Any]:
    """Return the public part of a key, as an issuer publishes it."""
    kind = jwt.get_algorithm_by_name(algorithm)
    jwk = kind.to_jwk(key.public_key(), as_dict=True)
    return {name: jwk[name] for name in ("kty", "crv", "x", "y", "n", "e") if name in jwk} | more


class TokenIssuer:
    """Publishes keys on loopback and signs with them.

    Attributes:
        url: Its name, as it stands in its tokens.
        requests: Paths that were asked for, in order.
        is_down: Answers with 503 while it is set.
        held: Waited for before anything is answered, at most 30 s.
        published: What it publishes about itself.
        jwks: What it publishes as its keys; any JSON value, or bytes as they are.
    """

    def __init__(self) -> None:
        """Take a free port; `start` listens."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.requests: list[str] = []
        self.is_down = False
        self.held: threading.Event | None = None
        self.published: dict[str, Any] = {"issuer": self.url, "jwks_uri": self.url + KEYS}
        self.jwks: Any = {"keys": []}
        self._private: dict[str, tuple[PrivateKey, str]] = {}

    def __enter__(self) -> Self:
        """Listen."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def add_key(
        self, name: str = "first", algorithm: Algorithm = "ES256", *, rsa_bits: int = 2048
    ) -> PrivateKey:
        """Sign with a new key from now on, and publish it."""
        key = new_private_key(algorithm, rsa_bits=rsa_bits)
        self._private[name] = (key, algorithm)
        self.jwks["keys"].append(public_jwk(key, algorithm, kid=name, use="sig"))
        return key

    def claims(self, **more: Any) -> dict[str, Any]:
        """Return claims that are valid for an hour; a value of None leaves one out."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "ada",
            "iat": now,
            "exp": now + 3600,
            "groups": ["staff"],
            **more,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(
        self, *, key: str = "first", headers: Mapping[str, Any] | None = None, **claims: Any
    ) -> str:
        """Return a token signed with one of the keys."""
        private, algorithm = self._private[key]
        all_headers = {"kid": key, **(headers or {})}
        return jwt.encode(self.claims(**claims), private, algorithm=algorithm, headers=all_headers)

    def answer(self, path: str) -> tuple[int, bytes]:
        """Return status and body for a path."""
        self.requests.append(path)
        if self.held is not None:
            self.held.wait(30)
        if self.is_down:
            return 503, b"{}"
        if path not in {DISCOVERY, KEYS}:
            return 404, b"{}"
        value = self.published if path == DISCOVERY else self.jwks
        return 200, value if isinstance(value, bytes) else json.dumps(value).encode()


def _handler_for(issuer: TokenIssuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = issuer.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler
