"""Keys of a real issuer: rotated, withdrawn, weak, not to be had."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from jwt.warnings import InsecureKeyLengthWarning

from citewell.adapters.identity.issuer_keys import fetch_issuer_keys
from citewell.adapters.identity.key_ring import KeyRing, RingOptions
from citewell.adapters.identity.oidc_verifier import OidcVerifier, TokenRules
from citewell.domain.errors import CredentialsError, UnavailableError
from citewell.testing.token_issuer import AUDIENCE, DISCOVERY, KEYS, TokenIssuer

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")


@pytest.fixture
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as started:
        started.add_key()
        yield started


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def verifier_of(issuer: TokenIssuer, clock: Clock | None = None) -> OidcVerifier:
    """Return a verifier that fetches keys in the thread that asks."""
    fetch = partial(fetch_issuer_keys, issuer.url, algorithms=ALGORITHMS)
    options = RingOptions(refresh_s=300, pause_s=15, outage_s=3600)
    ring = KeyRing(fetch, options=options, clock=clock or Clock(), run_beside=lambda work: work())
    return OidcVerifier(TokenRules(issuer.url, AUDIENCE, algorithms=ALGORITHMS), keys=ring)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_token_is_verified_with_what_the_issuer_publishes(
    issuer: TokenIssuer, algorithm: Any
) -> None:
    issuer.add_key("other", algorithm)
    token = verifier_of(issuer).verify(issuer.token(key="other", groups=["a"]))
    assert (token.issuer, token.subject, token.signing_key) == (issuer.url, "ada", "other")
    assert token.claims["groups"] == ["a"]
    assert issuer.requests == [DISCOVERY, KEYS]


def test_token_for_several_audiences_is_for_us_too(issuer: TokenIssuer) -> None:
    assert verifier_of(issuer).verify(issuer.token(aud=["other", AUDIENCE])).subject == "ada"


def test_types_of_tokens_that_carry_claims_are_read(issuer: TokenIssuer) -> None:
    verifier = verifier_of(issuer)
    kinds = ("JWT", "jwt", "at+jwt", "application/at+jwt")
    subjects = [verifier.verify(issuer.token(headers={"typ": kind})).subject for kind in kinds]
    assert subjects == ["ada"] * 4


def test_token_without_a_name_of_its_key_is_verified_where_there_is_one_key(
    issuer: TokenIssuer,
) -> None:
    token = issuer.token(headers={"kid": ""})
    assert verifier_of(issuer).verify(token).signing_key == "first"
    issuer.add_key("second")
    with pytest.raises(CredentialsError):
        verifier_of(issuer).verify(token)


def test_new_key_is_known_at_its_first_token_and_a_withdrawn_one_is_refused(
    issuer: TokenIssuer,
) -> None:
    clock = Clock()
    verifier = verifier_of(issuer, clock)
    old = issuer.token()
    verifier.verify(old)
    issuer.jwks["keys"].clear()
    issuer.add_key("second")
    clock.now += 20
    assert verifier.verify(issuer.token(key="second")).signing_key == "second"
    assert (verifier.is_trusted("first"), verifier.is_trusted("second")) == (False, True)
    with pytest.raises(CredentialsError):
        verifier.verify(old)


def test_tokens_are_verified_while_the_issuer_is_down(issuer: TokenIssuer) -> None:
    clock = Clock()
    verifier = verifier_of(issuer, clock)
    verifier.verify(issuer.token())
    issuer.is_down = True
    clock.now += 3000
    assert verifier.verify(issuer.token()).subject == "ada"
    with pytest.raises(CredentialsError):
        verifier.verify(issuer.token(headers={"kid": "unknown"}))


def test_nobody_can_tell_while_the_issuer_was_never_reached(issuer: TokenIssuer) -> None:
    issuer.is_down = True
    with pytest.raises(UnavailableError, match="503"):
        verifier_of(issuer).verify(issuer.token())


def test_token_that_is_not_accepted_is_refused_without_asking_the_issuer(
    issuer: TokenIssuer,
) -> None:
    issuer.add_key("other", "RS256")
    fetch = partial(fetch_issuer_keys, issuer.url, algorithms=ALGORITHMS)
    rules = TokenRules(issuer.url, AUDIENCE, algorithms=("ES256",))
    verifier = OidcVerifier(rules, keys=KeyRing(fetch, run_beside=lambda work: work()))
    for token in ("not a token", issuer.token(padding="a" * 8192), issuer.token(key="other")):
        with pytest.raises(CredentialsError):
            verifier.verify(token)
    assert issuer.requests == []


def test_weak_key_signs_nothing(issuer: TokenIssuer) -> None:
    issuer.add_key("weak", "RS256", rsa_bits=1024)
    with pytest.warns(InsecureKeyLengthWarning):
        token = issuer.token(key="weak")
    with pytest.raises(CredentialsError):
        verifier_of(issuer).verify(token)
    assert verifier_of(issuer).verify(issuer.token()).subject == "ada"


@pytest.mark.parametrize(
    "published",
    [
        {"issuer": "https://other.example"},
        {"issuer": None},
        {"jwks_uri": None},
        {"jwks_uri": "http://192.0.2.1/keys"},
        {"jwks_uri": "file:///etc/passwd"},
    ],
)
def test_issuer_that_speaks_for_another_or_sends_us_elsewhere_is_not_believed(
    issuer: TokenIssuer, published: dict[str, Any]
) -> None:
    issuer.published |= published
    with pytest.raises(UnavailableError):
        verifier_of(issuer).verify(issuer.token())
    assert issuer.requests == [DISCOVERY]


def test_keys_are_not_fetched_from_an_address_that_may_not_be_asked(issuer: TokenIssuer) -> None:
    issuer.published["jwks_uri"] = issuer.url.replace("127.0.0.1", "0.0.0.0") + KEYS
    with pytest.raises(UnavailableError):
        verifier_of(issuer).verify(issuer.token())
    assert issuer.requests == [DISCOVERY]


@pytest.mark.parametrize(
    "jwks",
    [
        {"keys": []},
        {"keys": {}},
        {},
        [],
        b"{",
        b'{"keys": [], "keys": []}',
        {"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "first", "alg": "HS256"}]},
        b" " * 300_000 + b"{}",
    ],
)
def test_keys_that_are_none_are_not_believed(issuer: TokenIssuer, jwks: Any) -> None:
    issuer.jwks = jwks
    with pytest.raises(UnavailableError):
        verifier_of(issuer).verify(issuer.token())


def test_many_threads_ask_the_issuer_once(issuer: TokenIssuer) -> None:
    verifier = OidcVerifier(TokenRules(issuer.url, AUDIENCE))
    issuer.held = threading.Event()
    token, found = issuer.token(), []
    threads = [
        threading.Thread(target=lambda: found.append(verifier.verify(token).subject))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    issuer.held.set()
    for thread in threads:
        thread.join(30)
    assert (found, issuer.requests) == (["ada"] * 4, [DISCOVERY, KEYS])
