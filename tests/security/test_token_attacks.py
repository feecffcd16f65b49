"""Tokens that must not open a door, against an issuer that is really asked for its keys."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from citewell.access.callers import CallerAuthenticator, Entrances
from citewell.access.tier_of_claims import ClaimRules
from citewell.adapters.catalogs.sqlite.catalog import utc_now
from citewell.adapters.identity.oidc_verifier import OidcVerifier, TokenRules
from citewell.domain.clearance import Principal
from citewell.domain.credential import Credential
from citewell.domain.errors import CredentialsError
from citewell.testing.memory_keys import MemoryKeys
from citewell.testing.token_issuer import (
    AUDIENCE,
    DISCOVERY,
    KEYS,
    TokenIssuer,
    new_private_key,
    public_jwk,
)

TIERS = ("employee", "manager", "director")
RULES = ClaimRules("groups", {"staff": "employee", "board": "director"}, frozenset({"board"}))
HOUR = 3600


@pytest.fixture(scope="module")
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as started:
        started.add_key("first", "ES256")
        started.add_key("rsa", "RS256")
        yield started


@pytest.fixture(scope="module")
def door(issuer: TokenIssuer) -> CallerAuthenticator:
    verifier = OidcVerifier(TokenRules(issuer.url, AUDIENCE))
    entrances = Entrances(MemoryKeys(now=utc_now), verifier=verifier, claims=RULES)
    return CallerAuthenticator(entrances, tiers=TIERS, secret=b"secret", now=utc_now)


def enter(door: CallerAuthenticator, token: str) -> Principal:
    return door.authenticate(Credential(token, is_local=False))


def part(value: Any) -> str:
    """Return JSON, or text as it is, as a part of a token."""
    text = value if isinstance(value, str) else json.dumps(value)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def rsa_public(issuer: TokenIssuer) -> list[bytes]:
    """Return the spellings of a public key that somebody could take for a shared secret."""
    public = issuer._private["rsa"][0].public_key()
    (jwk,) = (key for key in issuer.jwks["keys"] if key["kid"] == "rsa")
    forms = ((Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), (Encoding.PEM, PublicFormat.PKCS1))
    forms += ((Encoding.DER, PublicFormat.SubjectPublicKeyInfo),)
    return [public.public_bytes(*form) for form in forms] + [json.dumps(jwk).encode(), b""]


def signed_by_secret(issuer: TokenIssuer, secret: bytes, **header: Any) -> str:
    signed = f"{part({'alg': 'HS256', 'typ': 'JWT', **header})}.{part(issuer.claims())}"
    signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def raw(issuer: TokenIssuer, header: Any, payload: Any) -> str:
    """Return a token with these parts as they are, rightly signed with the first key."""
    signed = f"{part(header)}.{part(payload)}"
    algorithm = jwt.get_algorithm_by_name("ES256")
    signature = algorithm.sign(signed.encode(), issuer._private["first"][0])
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def twice(issuer: TokenIssuer, name: str, value: Any) -> str:
    """Return claims that name something twice; most parsers take the last."""
    claims = json.dumps(issuer.claims())
    return f'{{"{name}": {json.dumps(value)}, {claims[1:]}'


GOOD = {"alg": "ES256", "kid": "first", "typ": "JWT"}
Attack = Callable[[TokenIssuer], str]
ATTACKS: dict[str, Attack] = {
    "alg none": lambda i: f"{part({'alg': 'none', 'kid': 'first'})}.{part(i.claims())}.",
    "alg None with signature": lambda i: raw(i, GOOD | {"alg": "None"}, i.claims()),
    "alg none, signed": lambda i: raw(i, GOOD | {"alg": "none"}, i.claims()),
    "no alg": lambda i: raw(i, {"kid": "first"}, i.claims()),
    "alg is a list": lambda i: raw(i, GOOD | {"alg": ["ES256"]}, i.claims()),
    "alg of another kind of key": lambda i: raw(i, GOOD | {"alg": "RS256"}, i.claims()),
    "alg in lower case": lambda i: raw(i, GOOD | {"alg": "es256"}, i.claims()),
    "alg not in the settings": lambda i: raw(i, GOOD | {"alg": "ES384"}, i.claims()),
    "no signature": lambda i: i.token().rpartition(".")[0] + ".",
    "two parts": lambda i: i.token().rpartition(".")[0],
    "signature cut": lambda i: i.token()[:-4],
    "signature of another token": lambda i: (
        i.token(groups=["board"]).rpartition(".")[0] + "." + i.token().rpartition(".")[2]
    ),
    "claims exchanged": lambda i: ".".join(
        [i.token().split(".")[0], part(i.claims(groups=["board"])), i.token().split(".")[2]]
    ),
    "psychic signature": lambda i: ".".join([*i.token().split(".")[:2], part("\0" * 64)]),
    "signed by somebody else": lambda i: jwt.encode(
        i.claims(), new_private_key(), algorithm="ES256", headers={"kid": "first"}
    ),
    "unknown kid": lambda i: i.token(headers={"kid": "second"}),
    "kid is a path": lambda i: i.token(headers={"kid": "../../../../dev/null"}),
    "kid is SQL": lambda i: i.token(headers={"kid": "' OR 1=1 --"}),
    "kid is a number": lambda i: raw(i, GOOD | {"kid": 1}, i.claims()),
    "kid is null": lambda i: raw(i, GOOD | {"kid": None}, i.claims()),
    "kid of the other key": lambda i: i.token(headers={"kid": "rsa"}),
    "jku": lambda i: i.token(headers={"jku": f"{i.url}/evil"}),
    "x5u": lambda i: i.token(headers={"x5u": f"{i.url}/evil"}),
    "jwk in the header": lambda i: jwt.encode(
        i.claims(),
        (own := new_private_key()),
        algorithm="ES256",
        headers={"kid": "first", "jwk": public_jwk(own, "ES256")},
    ),
    "unknown crit": lambda i: i.token(headers={"crit": ["exp2"], "exp2": 1}),
    "known crit": lambda i: raw(i, GOOD | {"crit": ["b64"], "b64": True}, i.claims()),
    "empty crit": lambda i: raw(i, GOOD | {"crit": []}, i.claims()),
    "b64": lambda i: raw(i, GOOD | {"b64": False}, i.claims()),
    "zip": lambda i: i.token(headers={"zip": "DEF"}),
    "encrypted": lambda _: ".".join([part({"alg": "dir", "enc": "A256GCM"}), *("YQ",) * 4]),
    "nested": lambda i: raw(i, GOOD | {"cty": "JWT"}, i.token()),
    "claims that say they are a token": lambda i: raw(i, GOOD | {"cty": "JWT"}, i.claims()),
    "token in a token": lambda i: raw(i, GOOD, i.token()),
    "other type": lambda i: i.token(headers={"typ": "logout+jwt"}),
    "type is a list": lambda i: raw(i, GOOD | {"typ": ["JWT"]}, i.claims()),
    "claims are a list": lambda i: raw(i, GOOD, [i.claims()]),
    "claims are no JSON": lambda i: raw(i, GOOD, "{"),
    "header is no object": lambda i: raw(i, [GOOD], i.claims()),
    "header nested deeply": lambda i: raw(i, '{"alg":' + "[" * 5000, i.claims()),
    "claims nested deeply": lambda i: raw(i, GOOD, '{"sub":' + "[" * 5000),
    "alg twice": lambda i: raw(i, '{"alg":"none","alg":"ES256","kid":"first"}', i.claims()),
    "aud twice": lambda i: raw(i, GOOD, twice(i, "aud", "other")),
    "groups twice": lambda i: raw(i, GOOD, twice(i, "groups", ["board"])),
    "sub twice": lambda i: raw(i, GOOD, twice(i, "sub", "grace")),
    "expired": lambda i: i.token(exp=int(time.time()) - HOUR),
    "expired, as text": lambda i: i.token(exp=str(int(time.time()) - HOUR)),
    "no exp": lambda i: i.token(exp=None),
    "exp is text": lambda i: raw(i, GOOD, i.claims(exp=str(int(time.time()) + HOUR))),
    "exp is true": lambda i: raw(i, GOOD, i.claims(exp=True)),
    "exp is infinite": lambda i: raw(i, GOOD, json.dumps(i.claims(exp=-1)).replace("-1", "1e999")),
    "exp is Infinity": lambda i: raw(i, GOOD, i.claims(exp=float("inf"))),
    "exp is NaN": lambda i: raw(i, GOOD, i.claims(exp=float("nan"))),
    "not yet valid": lambda i: i.token(nbf=int(time.time()) + HOUR),
    "nbf is text": lambda i: raw(i, GOOD, i.claims(nbf="0")),
    "made in the future": lambda i: i.token(iat=int(time.time()) + HOUR),
    "other iss": lambda i: i.token(iss="https://issuer.example"),
    "iss with a slash": lambda i: i.token(iss=f"{i.url}/"),
    "iss is a list": lambda i: raw(i, GOOD, i.claims(iss=[i.url])),
    "no iss": lambda i: i.token(iss=None),
    "other aud": lambda i: i.token(aud="other"),
    "aud starts like ours": lambda i: i.token(aud=f"{AUDIENCE}2"),
    "aud is an object": lambda i: raw(i, GOOD, i.claims(aud={AUDIENCE: True})),
    "aud has an object in it": lambda i: raw(i, GOOD, i.claims(aud=[AUDIENCE, {}])),
    "no aud": lambda i: i.token(aud=None),
    "empty aud": lambda i: i.token(aud=[]),
    "no sub": lambda i: i.token(sub=None),
    "empty sub": lambda i: i.token(sub=""),
    "sub is a number": lambda i: raw(i, GOOD, i.claims(sub=7)),
    "long sub": lambda i: i.token(sub="a" * 256),
    "unknown group": lambda i: i.token(groups=["guests"]),
    "group in another case": lambda i: i.token(groups=["Staff"]),
    "group with a space": lambda i: i.token(groups=["staff "]),
    "group in a text of groups": lambda i: i.token(groups="staff board"),
    "groups are an object": lambda i: i.token(groups={"board": True}),
    "groups hold an object": lambda i: i.token(groups=["staff", {"board": 1}]),
    "no groups": lambda i: i.token(groups=None),
    "tier instead of a group": lambda i: i.token(groups=["director"]),
    "8 KiB": lambda i: i.token(padding="a" * 8192),
    "1 MB": lambda i: i.token(padding="a" * 1_000_000),
    "1 MB of dots": lambda _: "." * 1_000_000,
    "padded base64": lambda i: i.token() + "==",
    "white space": lambda i: f"{i.token()} ",
    "line break": lambda i: f"{i.token()}\n",
    "letters that are not ASCII": lambda i: f"{i.token()}é",
    "nothing": lambda _: "",
} | {
    f"public key {form} as secret of HS256, kid {kid!r}": (
        lambda i, form=form, kid=kid: signed_by_secret(i, rsa_public(i)[form], kid=kid)
    )
    for form in range(5)
    for kid in ("rsa", "first")
}


def test_token_of_the_issuer_opens(issuer: TokenIssuer, door: CallerAuthenticator) -> None:
    for key in ("first", "rsa"):
        principal = enter(door, issuer.token(key=key))
        assert (principal.tier, principal.scopes, principal.kind) == (
            "employee",
            frozenset({"ask"}),
            "token",
        )
        assert door.is_valid(principal) is True


def test_raw_token_opens_so_the_attacks_fail_for_what_they_change(
    issuer: TokenIssuer, door: CallerAuthenticator
) -> None:
    assert enter(door, raw(issuer, GOOD, issuer.claims())).tier == "employee"


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_refused_like_every_other(
    issuer: TokenIssuer, door: CallerAuthenticator, attack: str
) -> None:
    token = ATTACKS[attack](issuer)
    with pytest.raises(CredentialsError) as refusal:
        enter(door, token)
    assert str(refusal.value) == str(CredentialsError())
    assert {path for path in issuer.requests if path not in {DISCOVERY, KEYS}} == set()


def test_flood_of_unknown_keys_asks_the_issuer_once(issuer: TokenIssuer) -> None:
    verifier = OidcVerifier(TokenRules(issuer.url, AUDIENCE))
    verifier.verify(issuer.token())
    issuer.requests.clear()
    for number in range(200):
        with pytest.raises(CredentialsError):
            verifier.verify(issuer.token(headers={"kid": f"key {number}"}))
    assert issuer.requests in ([], [DISCOVERY, KEYS])


def test_same_person_is_the_same_principal_and_nobody_else_is(
    issuer: TokenIssuer, door: CallerAuthenticator
) -> None:
    ids = {
        (sub, key): enter(door, issuer.token(key=key, sub=sub)).id
        for sub in ("zoe", "Zoe", "grace")
        for key in ("first", "rsa")
    }
    assert all(ids[sub, "first"] == ids[sub, "rsa"] for sub in ("zoe", "Zoe", "grace"))
    assert len(set(ids.values())) == 3
    assert [each for each in ids.values() if not re.fullmatch(r"[0-9a-f]{32}", each)] == []


def test_highest_of_several_groups_counts(issuer: TokenIssuer, door: CallerAuthenticator) -> None:
    principal = enter(door, issuer.token(groups=["guests", "board", "staff"]))
    assert (principal.tier, principal.scopes) == (
        "director",
        frozenset({"ask", "sync", "admin"}),
    )


def test_token_ends_with_its_time(issuer: TokenIssuer, door: CallerAuthenticator) -> None:
    exp = int(time.time()) + HOUR
    principal = enter(door, issuer.token(exp=exp))
    assert principal.expires_at == exp + 30
