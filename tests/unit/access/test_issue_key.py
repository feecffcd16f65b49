from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from citewell.access.api_keys import digest_of, is_same_key, prefix_of
from citewell.access.issue_key import KeyRequest, issue_key
from citewell.domain.api_key import ApiKey
from citewell.domain.errors import UsageError

TIERS = ("employee", "manager", "director")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
REQUEST = KeyRequest(name="reader", tier="manager")


def test_new_key_is_what_was_asked_for() -> None:
    request = KeyRequest(" my reader ", "manager", scopes=("admin", "ask", "ask"), lifetime="2w")
    new = issue_key(request, tiers=TIERS, now=NOW)
    assert new.stored.digest == digest_of(new.text)
    assert new.stored.key == ApiKey(
        id=new.stored.key.id,
        prefix=new.text[3:15],
        name="my reader",
        tier="manager",
        scopes=("ask", "admin"),
        created_at="2026-11-30T12:00:00.000Z",
        expires_at="2026-12-14T12:00:00.000Z",
    )
    assert re.fullmatch(r"[0-9a-f]{32}", new.stored.key.id)


def test_key_may_only_ask_and_expires_in_90_days_unless_said_otherwise() -> None:
    key = issue_key(REQUEST, tiers=TIERS, now=NOW).stored.key
    assert (key.scopes, key.expires_at) == (("ask",), "2027-02-28T12:00:00.000Z")


def test_key_that_never_expires_has_no_end() -> None:
    request = replace(REQUEST, lifetime="never")
    assert issue_key(request, tiers=TIERS, now=NOW).stored.key.expires_at is None


def test_every_key_has_60_bits_of_name_and_256_bits_of_secret_of_its_own() -> None:
    texts = [issue_key(REQUEST, tiers=TIERS, now=NOW).text for _ in range(200)]
    assert {bool(re.fullmatch(r"cw_[a-z2-7]{12}_[\w-]{43}", text)) for text in texts} == {True}
    assert len({text[:15] for text in texts}) == len({text[16:] for text in texts}) == 200


def test_key_is_not_in_what_is_printed_of_it() -> None:
    new = issue_key(REQUEST, tiers=TIERS, now=NOW)
    assert new.text[16:] not in repr(new)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"name": ""}, "name"),
        ({"name": " \t"}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a\x1b[2J"}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"name": "a" * 101}, "name"),
        ({"tier": "Manager"}, "employee, manager, director"),
        ({"tier": ""}, "employee, manager, director"),
        ({"scopes": ()}, "scope"),
        ({"scopes": ("ask", "root")}, "'root'"),
        ({"lifetime": "0d"}, "90d"),
        ({"lifetime": "3651d"}, "3650d"),
        ({"lifetime": "-1d"}, "90d"),
        ({"lifetime": "1.5d"}, "90d"),
        ({"lifetime": "90"}, "90d"),
        ({"lifetime": "9999999999d"}, "90d"),
        ({"lifetime": "１d"}, "90d"),
        ({"lifetime": ""}, "90d"),
    ],
)
def test_request_that_is_not_valid_is_refused(change: dict[str, object], word: str) -> None:
    request = replace(REQUEST, **change)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=re.escape(word)):
        issue_key(request, tiers=TIERS, now=NOW)


def test_only_whole_keys_have_a_prefix() -> None:
    text = issue_key(REQUEST, tiers=TIERS, now=NOW).text
    assert prefix_of(text) == text[3:15]
    others = [text[:-1], f"{text}a", f" {text}", f"{text}\n", text.upper(), text[3:], "cw_", ""]
    assert [prefix_of(other) for other in others] == [None] * len(others)


def test_only_the_same_text_is_the_same_key() -> None:
    text = issue_key(REQUEST, tiers=TIERS, now=NOW).text
    twin = text[:16] + issue_key(REQUEST, tiers=TIERS, now=NOW).text[16:]
    assert is_same_key(text, digest_of(text)) is True
    assert is_same_key(twin, digest_of(text)) is False
    assert is_same_key(text, None) is False


def test_state_follows_the_clock_and_revocation() -> None:
    key = issue_key(replace(REQUEST, lifetime="1h"), tiers=TIERS, now=NOW).stored.key
    end = NOW + timedelta(hours=1)
    moments = (NOW, end - timedelta(milliseconds=1), end, end + timedelta(days=1))
    assert [key.state_at(moment) for moment in moments] == [
        "active",
        "active",
        "expired",
        "expired",
    ]
    revoked = replace(key, revoked_at="2026-11-30T12:30:00.000Z")
    assert [revoked.state_at(moment) for moment in moments] == ["revoked"] * 4
