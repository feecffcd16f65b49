from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from citewell.adapters.identity.issuer_keys import IssuerKeys, read_keys
from citewell.adapters.identity.key_ring import KeyRing, RingOptions
from citewell.domain.errors import UnavailableError
from citewell.testing.token_issuer import new_private_key, public_jwk

OPTIONS = RingOptions(refresh_s=300, pause_s=15, outage_s=3600)
PRIVATE = new_private_key()


def keys_named(*names: str) -> IssuerKeys:
    return read_keys([public_jwk(PRIVATE, "ES256", kid=n) for n in names], algorithms=["ES256"])


class Issuer:
    """Has keys, counts who asks for them, and tells the time."""

    def __init__(self, *names: str) -> None:
        self.keys: IssuerKeys | None = keys_named(*names)
        self.n_asked = 0
        self.now = 1000.0

    def fetch(self) -> IssuerKeys:
        self.n_asked += 1
        if self.keys is None:
            raise UnavailableError("down")
        return self.keys

    def ring(self, run_beside: Callable[[Callable[[], None]], None] | None = None) -> KeyRing:
        return KeyRing(
            self.fetch,
            options=OPTIONS,
            clock=lambda: self.now,
            run_beside=run_beside or (lambda work: work()),
        )


def test_keys_are_fetched_once_and_kept() -> None:
    issuer = Issuer("a", "b")
    ring = issuer.ring()
    found = [ring.find(name, "ES256") for name in ("a", "b", "a")]
    assert [key and key.key_id for key in found] == ["a", "b", "a"]
    assert issuer.n_asked == 1


def test_old_keys_go_on_while_new_ones_are_fetched_beside() -> None:
    issuer, waiting = Issuer("a"), []
    ring = issuer.ring()
    ring.find("a", "ES256")
    ring._run_beside = waiting.append
    issuer.keys, issuer.now = keys_named("b"), issuer.now + 301
    assert ring.find("a", "ES256") is not None
    (fetch,) = waiting
    fetch()
    assert (ring.has("a"), ring.has("b")) == (False, True)


def test_unknown_name_makes_ask_again_but_not_soon() -> None:
    issuer = Issuer("a")
    ring = issuer.ring()
    ring.find("a", "ES256")
    issuer.keys = keys_named("a", "b")
    assert ring.find("b", "ES256") is None  # asked a moment ago
    issuer.now += 16
    assert ring.find("b", "ES256") is not None
    issuer.now += 1
    assert [ring.find(name, "ES256") for name in "cdefgh"] == [None] * 6
    assert issuer.n_asked == 2


def test_keys_outlast_an_outage_but_not_any() -> None:
    issuer = Issuer("a")
    ring = issuer.ring()
    ring.find("a", "ES256")
    issuer.keys = None
    issuer.now += 3599
    assert ring.find("a", "ES256") is not None
    assert ring.has("a") is True
    issuer.now += 2
    assert ring.has("a") is False
    with pytest.raises(UnavailableError, match="down"):
        ring.find("a", "ES256")
    issuer.keys, issuer.now = keys_named("a"), issuer.now + 16
    assert ring.find("a", "ES256") is not None


def test_issuer_that_was_never_reached_is_not_asked_for_every_token() -> None:
    issuer = Issuer()
    issuer.keys = None
    ring = issuer.ring()
    for _ in range(50):
        with pytest.raises(UnavailableError, match="down"):
            ring.find("a", "ES256")
    assert issuer.n_asked == 1


def test_withdrawn_key_is_found_out_by_who_asks_whether_it_is_trusted() -> None:
    issuer = Issuer("a", "b")
    ring = issuer.ring()
    ring.find("a", "ES256")
    assert ring.has("a") is True
    issuer.keys, issuer.now = keys_named("b"), issuer.now + 301
    ring.has("a")
    assert (ring.has("a"), ring.has("b")) == (False, True)


def test_token_without_a_name_is_for_the_only_key() -> None:
    assert Issuer("a").ring().find("", "ES256") is not None
    assert Issuer("a", "b").ring().find("", "ES256") is None
    assert Issuer("a").ring().find("", "RS256") is None


def test_few_threads_wait_for_an_issuer_that_hangs() -> None:
    issuer, fetching, go_on = Issuer("a"), threading.Event(), threading.Event()

    def fetch() -> IssuerKeys:
        fetching.set()
        go_on.wait(30)
        return keys_named("a")

    issuer.fetch = fetch  # type: ignore[method-assign]
    ring = issuer.ring(lambda work: threading.Thread(target=work).start())
    ended: list[Any] = []

    def find() -> None:
        try:
            ended.append(ring.find("a", "ES256"))
        except UnavailableError as error:
            ended.append(error)

    threads = [threading.Thread(target=find) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert fetching.wait(30)
    while ring._waiters._value:  # all four wait
        pass
    with pytest.raises(UnavailableError):
        ring.find("a", "ES256")  # the fifth does not
    assert ended == []
    go_on.set()
    for thread in threads:
        thread.join(30)
    assert [getattr(each, "key_id", each) for each in ended] == ["a"] * 4
