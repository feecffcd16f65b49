from citewell.adapters.change_feeds.gathered import GatheredChanges
from citewell.ports.change_feed import Changes


def test_what_gathers_is_taken_once_and_wakes() -> None:
    woken: list[None] = []
    gathered = GatheredChanges(lambda: woken.append(None))
    assert not gathered.take()
    gathered.add(["a.md", "b.md"])
    gathered.add(["b.md"])
    assert gathered.take() == Changes(frozenset({"a.md", "b.md"}))
    assert (gathered.take(), len(woken)) == (Changes(), 2)


def test_everything_swallows_single_paths() -> None:
    gathered = GatheredChanges(lambda: None)
    gathered.add(["a.md"])
    gathered.add_everything()
    assert gathered.take() == Changes(everything=True)
    assert not gathered.take()


def test_very_many_paths_are_everything() -> None:
    gathered = GatheredChanges(lambda: None)
    gathered.add(f"{n}.md" for n in range(1_000))
    assert len(gathered.take().paths) == 1_000
    gathered.add(f"{n}.md" for n in range(1_001))
    assert gathered.take() == Changes(everything=True)
