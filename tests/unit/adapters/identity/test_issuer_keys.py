from __future__ import annotations

from typing import Any

import pytest

from citewell.adapters.identity.issuer_keys import _may_ask, read_keys
from citewell.testing.token_issuer import new_private_key, public_jwk

ALL = ("RS256", "PS256", "ES256", "EdDSA")
EC = public_jwk(new_private_key("ES256"), "ES256", kid="ec")
RSA = public_jwk(new_private_key("RS256"), "RS256", kid="rsa")
ED = public_jwk(new_private_key("EdDSA"), "EdDSA", kid="ed")


def test_key_is_kept_for_every_algorithm_that_it_can_sign_with() -> None:
    assert set(read_keys([EC, RSA, ED], algorithms=ALL)) == {
        ("ec", "ES256"),
        ("rsa", "RS256"),
        ("rsa", "PS256"),
        ("ed", "EdDSA"),
    }


def test_key_with_an_algorithm_is_kept_for_that_alone() -> None:
    assert set(read_keys([RSA | {"alg": "PS256"}], algorithms=ALL)) == {("rsa", "PS256")}


@pytest.mark.parametrize(
    "key",
    [
        None,
        "EC",
        {},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "a"},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "a", "alg": "ES256", "crv": "P-256"},
        EC | {"use": "enc"},
        EC | {"alg": "HS256"},
        EC | {"alg": "none"},
        EC | {"kid": 7},
        EC | {"crv": "secp256k1"},
        EC | {"crv": ["P-256"]},
        EC | {"x": "!"},
        EC | {"x": "AA"},
        EC | {"d": "AA"},
        RSA | {"e": ""},
        {"kty": "RSA", "kid": "a"},
        ED | {"crv": "X25519"},
    ],
)
def test_what_is_no_key_for_signatures_is_left_out(key: Any) -> None:
    assert list(read_keys([key, EC], algorithms=ALL)) == [("ec", "ES256")]


def test_two_keys_of_one_name_are_none() -> None:
    other = public_jwk(new_private_key("ES256"), "ES256", kid="ec")
    assert set(read_keys([EC, other, ED], algorithms=ALL)) == {("ed", "EdDSA")}


def test_of_a_flood_of_keys_the_first_count() -> None:
    many = [EC | {"kid": str(number)} for number in range(1000)]
    assert len(read_keys(many, algorithms=ALL)) == 50


@pytest.mark.parametrize(
    ("url", "issuer", "may"),
    [
        ("https://keys.example.com/a", "https://issuer.example.com", True),
        ("http://keys.example.com/a", "https://issuer.example.com", False),
        ("http://127.0.0.1/a", "https://issuer.example.com", False),
        ("http://127.0.0.1:9/a", "http://127.0.0.1:8", True),
        ("http://keys.example.com/a", "http://127.0.0.1:8", False),
        ("file:///etc/passwd", "http://127.0.0.1:8", False),
        ("//keys.example.com", "https://issuer.example.com", False),
        ("http://[", "http://127.0.0.1:8", False),
    ],
)
def test_keys_come_over_tls_or_from_this_machine(url: str, issuer: str, may: bool) -> None:
    assert _may_ask(url, issuer) is may
