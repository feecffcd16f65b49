from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from typing_extensions import override

from citewell.access.api_keys import digest_of
from citewell.access.callers import CallerAuthenticator, Entrances, LocalOwner
from citewell.access.issue_key import KeyRequest, NewKey, issue_key
from citewell.access.tier_of_claims import ClaimRules
from citewell.domain.clearance import Principal
from citewell.domain.credential import Credential
from citewell.domain.errors import CredentialsError
from citewell.ports.token_verifier import TokenVerifier, VerifiedToken
from citewell.testing.memory_keys import MemoryKeys

TIERS = ("employee", "manager", "director")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOKEN = "cwl_" + "a" * 43
OWNER = Principal("owner", "director", scopes=frozenset({"ask", "sync", "admin"}), kind="local")
REFUSED = str(CredentialsError())
RULES = ClaimRules("groups", {"staff": "employee"})


class OneToken(TokenVerifier):
    """Knows one token, signed with one key."""

    def __init__(self) -> None:
        self.trusted = {"k1"}

    @override
    def verify(self, token: str) -> VerifiedToken:
        if token != "good":
            raise CredentialsError
        return VerifiedToken("https://i", "ada", "k1", NOW.timestamp() + 60, {"groups": ["staff"]})

    @override
    def is_trusted(self, signing_key: str) -> bool:
        return signing_key in self.trusted


@dataclass
class House:
    """An authenticator whose time and ways in a test sets."""

    keys: MemoryKeys
    now: datetime = NOW
    verifier: OneToken | None = None
    local_owner: LocalOwner = "auto"
    tiers: tuple[str, ...] = TIERS

    @property
    def door(self) -> CallerAuthenticator:
        entrances = Entrances(
            self.keys,
            verifier=self.verifier,
            claims=RULES,
            local_owner=self.local_owner,
            local_token=digest_of(TOKEN),
        )
        return CallerAuthenticator(
            entrances, tiers=self.tiers, secret=b"secret", now=lambda: self.now
        )

    def enter(self, bearer: str | None, *, is_local: bool = False) -> Principal:
        return self.door.authenticate(Credential(bearer, is_local=is_local))

    def is_refused(self, bearer: str | None, *, is_local: bool = False) -> bool:
        try:
            self.enter(bearer, is_local=is_local)
        except CredentialsError as error:
            return str(error) == REFUSED
        return False

    def give_key(self, name: str = "reader", **more: object) -> NewKey:
        request = replace(KeyRequest(name, "manager"), **more)  # type: ignore[arg-type]
        new = issue_key(request, tiers=TIERS, now=NOW)
        self.keys.add(new.stored)
        return new


@pytest.fixture
def house() -> House:
    return House(MemoryKeys(now=lambda: NOW))


def test_key_makes_a_principal_of_its_own(house: House) -> None:
    new = house.give_key(scopes=("ask", "sync"))
    key = new.stored.key
    assert house.enter(new.text) == Principal(
        key.id,
        "manager",
        scopes=frozenset({"ask", "sync"}),
        kind="key",
        credential_id=key.id,
        expires_at=(NOW + timedelta(days=90)).timestamp(),
    )


def test_use_is_noted_by_day(house: House) -> None:
    new = house.give_key()
    house.enter(new.text)
    assert house.keys.list_keys()[0].last_used_on == "2026-11-30"


class TellingKeys(MemoryKeys):
    """Keys that tell when their use was noted."""

    noted: tuple[str, ...] = ()

    @override
    def note_use(self, key_id: str, *, day: str) -> None:
        self.noted += (day,)
        super().note_use(key_id, day=day)


def test_use_is_noted_once_a_day() -> None:
    keys = TellingKeys(now=lambda: NOW)
    house = House(keys)
    new = house.give_key()
    for hours in (0, 1, 23):
        house.now = NOW + timedelta(hours=hours)
        house.enter(new.text)
    assert keys.noted == ("2026-11-30", "2026-12-01")


def test_refused_use_is_not_noted(house: House) -> None:
    new = house.give_key()
    assert house.is_refused(new.text[:-1] + ("a" if new.text[-1] != "a" else "b"))
    assert house.keys.list_keys()[0].last_used_on is None


def test_unknown_wrong_revoked_and_expired_keys_look_alike(house: House) -> None:
    new, other = house.give_key(), house.give_key("other", lifetime="1h")
    twin = new.text[:16] + other.text[16:]
    unknown = "cw_" + "a" * 12 + new.text[15:]
    house.now = NOW + timedelta(hours=1)
    house.keys.revoke("reader")
    shown = [new.text, other.text, twin, unknown, "cw_", "cw_x", new.text + "a", new.text.upper()]
    assert [house.is_refused(text) for text in shown] == [True] * len(shown)


def test_key_of_a_tier_that_is_gone_is_refused(house: House) -> None:
    new = house.give_key()
    principal = house.enter(new.text)
    house.tiers = ("employee", "director")
    assert house.is_refused(new.text)
    assert house.door.is_valid(principal) is False


def test_revoked_key_is_not_valid_any_more(house: House) -> None:
    principal, other = house.enter(house.give_key().text), house.enter(house.give_key("b").text)
    assert (house.door.is_valid(principal), house.door.is_valid(other)) == (True, True)
    house.keys.revoke("reader")
    assert (house.door.is_valid(principal), house.door.is_valid(other)) == (False, True)


def test_key_is_not_valid_after_its_end(house: House) -> None:
    principal = house.enter(house.give_key(lifetime="1h").text)
    house.now = NOW + timedelta(hours=1)
    assert house.door.is_valid(principal) is False


@pytest.mark.parametrize(
    "change",
    [
        {"tier": "director"},
        {"scopes": frozenset({"ask", "admin"})},
        {"id": "x"},
        {"credential_id": "unknown"},
        {"expires_at": None},
    ],
)
def test_principal_that_its_key_would_not_make_is_not_valid(
    house: House, change: dict[str, object]
) -> None:
    principal = house.enter(house.give_key().text)
    assert house.door.is_valid(replace(principal, **change)) is False  # type: ignore[arg-type]


def test_owner_at_this_machine_needs_no_key_until_there_is_one(house: House) -> None:
    assert house.enter(None, is_local=True) == OWNER
    assert house.door.is_valid(OWNER) is True
    assert house.is_refused(None)
    house.give_key()
    assert house.is_refused(None, is_local=True)
    assert house.door.is_valid(OWNER) is False
    house.keys.revoke("reader")
    assert house.is_refused(None, is_local=True)


def test_owner_needs_a_credential_where_an_issuer_is_set(house: House) -> None:
    house.verifier = OneToken()
    assert house.is_refused(None, is_local=True)


@pytest.mark.parametrize(("rule", "is_refused"), [("always", False), ("never", True)])
def test_setting_decides_whether_the_owner_needs_a_credential(
    house: House, rule: LocalOwner, is_refused: bool
) -> None:
    house.local_owner = rule
    refused = [house.is_refused(None, is_local=True)]
    house.give_key()
    refused.append(house.is_refused(None, is_local=True))
    assert refused == [is_refused, is_refused]
    assert house.is_refused(None)


def test_wrong_credential_is_refused_where_none_would_be_let_in(house: House) -> None:
    assert [house.is_refused(bearer, is_local=True) for bearer in ("", "x", "cw_x")] == [True] * 3


def test_local_token_is_the_owner_at_this_machine_only(house: House) -> None:
    house.local_owner = "never"
    assert house.enter(TOKEN, is_local=True) == replace(OWNER, credential_id="token-file")
    assert house.door.is_valid(replace(OWNER, credential_id="token-file")) is True
    assert house.is_refused(TOKEN)
    assert house.is_refused("cwl_" + "b" * 43, is_local=True)
    assert house.is_refused("cwl_", is_local=True)


def test_token_of_an_issuer_is_valid_until_its_end_and_as_long_as_its_key_is(house: House) -> None:
    house.verifier = OneToken()
    principal = house.enter("good")
    assert (principal.tier, principal.kind, principal.credential_id) == ("employee", "token", "k1")
    assert house.door.is_valid(principal) is True
    house.now = NOW + timedelta(seconds=60)
    assert house.door.is_valid(principal) is False
    house.now = NOW
    house.verifier.trusted.clear()
    assert house.door.is_valid(principal) is False


def test_no_token_is_let_in_without_an_issuer(house: House) -> None:
    assert house.is_refused("good")
    assert house.door.is_valid(Principal("x", "employee", kind="token")) is False


@pytest.mark.parametrize("bearer", ["a" * 8193, "cw_" + "é" * 12, "\ud800", "g" * 1_000_000])
def test_credential_that_none_could_be_is_refused(house: House, bearer: str) -> None:
    house.verifier = OneToken()
    assert house.is_refused(bearer)


def test_somebody_else_is_let_in_with_a_key_that_works_or_an_issuer(house: House) -> None:
    assert house.door.is_remote_allowed is False
    house.give_key(lifetime="1h")
    assert house.door.is_remote_allowed is True
    house.now = NOW + timedelta(hours=1)
    assert house.door.is_remote_allowed is False
    house.verifier = OneToken()
    assert house.door.is_remote_allowed is True
