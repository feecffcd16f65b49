"""In which order items are read."""

from __future__ import annotations

from citewell.domain.source import SourceItem
from citewell.ingestion.backlog import Backlog, Urgency, WaitingItem


def waiting(
    path: str,
    *,
    urgency: Urgency = Urgency.BULK,
    ready_at: float = 0,
    since: float = 0,
    fingerprint: str = "f1",
) -> WaitingItem:
    item = SourceItem(path, 1, 0, path, fingerprint)
    return WaitingItem(item, None, urgency, ready_at, since, rests=True)


def taken(backlog: Backlog, now: float = 0) -> list[str]:
    """Take all that is ready."""
    paths: list[str] = []
    while (found := backlog.take(now)) is not None:
        paths.append(found.item.relative_path)
    return paths


def test_items_of_one_folder_come_in_the_order_of_a_scan() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md"), waiting("b.md"), waiting("c.md")])
    assert len(backlog) == 3
    assert taken(backlog) == ["a.md", "b.md", "c.md"]
    assert len(backlog) == 0


def test_edits_come_first_and_retries_last() -> None:
    backlog = Backlog()
    backlog.add([waiting("r.md", urgency=Urgency.RETRY), waiting("b.md")])
    backlog.add([waiting("e.md", urgency=Urgency.EDIT)])
    assert taken(backlog) == ["e.md", "b.md", "r.md"]


def test_folders_and_types_take_turns() -> None:
    backlog = Backlog()
    backlog.add([waiting(f"a/{n}.pdf") for n in range(3)])
    backlog.add([waiting("b/1.pdf"), waiting("a/1.md")])
    assert taken(backlog) == ["a/1.md", "a/0.pdf", "b/1.pdf", "a/1.pdf", "a/2.pdf"]


def test_items_like_those_that_failed_wait_for_the_others() -> None:
    backlog = Backlog()
    backlog.add([waiting(f"bad/{n}.pdf") for n in range(1_000)])
    backlog.add([waiting(f"good/{n}.pdf") for n in range(10)])
    order: list[str] = []
    while (found := backlog.take(0)) is not None:
        order.append(found.item.relative_path)
        if found.item.relative_path.startswith("bad"):
            backlog.failed(found)
    assert max(order.index(f"good/{n}.pdf") for n in range(10)) == 10
    assert len(order) == 1_010


def test_item_is_not_ready_before_its_time() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md", ready_at=5), waiting("b.md", ready_at=3)])
    assert (backlog.seconds_until_ready(1), taken(backlog, 1)) == (2, [])
    assert (taken(backlog, 4), backlog.seconds_until_ready(4)) == (["b.md"], 1)
    assert (taken(backlog, 5), backlog.seconds_until_ready(5)) == (["a.md"], None)


def test_ready_item_is_ready_at_once() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md"), waiting("b.md")])
    backlog.take(0)
    assert backlog.seconds_until_ready(0) == 0


def test_item_that_changed_waits_anew_since_the_same_moment() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md", ready_at=1)])
    backlog.add([waiting("a.md", ready_at=9, since=8, fingerprint="f2")])
    assert (len(backlog), taken(backlog, 8)) == (1, [])
    found = backlog.take(9)
    assert found is not None
    assert (found.item.fingerprint, found.since, len(backlog)) == ("f2", 0, 0)


def test_item_seen_again_unchanged_waits_no_longer_for_it() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md", ready_at=1)])
    backlog.add([waiting("a.md", ready_at=9)])
    assert taken(backlog, 1) == ["a.md"]
    assert taken(backlog, 9) == []


def test_item_without_a_fingerprint_is_always_another_one() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md", ready_at=1, fingerprint="")])
    backlog.add([waiting("a.md", ready_at=2, fingerprint="")])
    assert (taken(backlog, 1), taken(backlog, 2)) == ([], ["a.md"])


def test_busy_item_waits_until_it_is_not() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md"), waiting("b.md")])
    first = backlog.take(0, busy={"a.md"})
    assert first is not None
    assert first.item.relative_path == "b.md"
    assert backlog.take(0, busy={"a.md"}) is None
    assert len(backlog) == 1
    assert taken(backlog, 1) == ["a.md"]


def test_item_may_come_back_after_it_was_taken() -> None:
    backlog = Backlog()
    backlog.add([waiting("a.md")])
    assert taken(backlog) == ["a.md"]
    backlog.add([waiting("a.md")])
    assert taken(backlog) == ["a.md"]
