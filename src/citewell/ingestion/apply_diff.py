"""What a diff changes before any item is converted: first all that hides something.

hide what went or rose ─► record what is rejected ─► follow moves ─► show what came back
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.access.tier_of_path import is_raised
from citewell.domain.document import DocumentState
from citewell.domain.record import Failure, KnownItem
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ingestion.deletions import is_mass_deletion
from citewell.ingestion.diff import Diff
from citewell.ingestion.moves import Move, find_moves, places_to_look
from citewell.ingestion.prepare import Origin, version_of
from citewell.ingestion.sync_parts import Run

_MOST_BYTES_READ_BEFORE_HIDING = 64 * 2**20
"""Read in some 0.2 s: telling a move from a deletion by more would leave text readable for long."""


@dataclass(frozen=True, slots=True)
class DiffApplier:
    """Applies the diffs of one run.

    Attributes:
        run: Whose source it is.
        confirmed: Someone said that what is missing is meant to be gone.
    """

    run: Run
    confirmed: bool = False

    def apply(self, diff: Diff, rejected: Sequence[RejectedItem]) -> Diff:
        """Apply a diff and return what is left: items to read, and the missing ones."""
        documents = self.run.parts.ingestion.documents
        diff = _without_unlisted(diff, rejected)
        fresh, diff = _split_rejected(diff, rejected)
        candidates = places_to_look(diff)
        hidden = [before for before, _ in fresh if before is not None]
        hidden += self._to_hide_unread(diff, candidates)
        documents.hide([known.document_key for known in hidden])
        self._apply_rules(diff, raised=True)
        self._record_rejected(fresh)
        moves, diff = self._find_moves(diff)
        documents.hide([known.document_key for known in diff.vanished])
        self._follow(moves)
        self._count_missing(diff.vanished)
        self._apply_rules(diff, raised=False)
        self._show_again(diff)
        self.run.tally.add(skipped=len(diff.unchanged))
        return diff

    def _to_hide_unread(
        self, diff: Diff, candidates: dict[int, list[SourceItem]]
    ) -> list[KnownItem]:
        """Return what must be hidden before reading tells whether it only moved.

        That is what cannot have moved, what may have moved to a higher tier, and everything where
        there is much to read.
        """
        places = {item.relative_path: item for items in candidates.values() for item in items}
        if sum(item.size_bytes for item in places.values()) > _MOST_BYTES_READ_BEFORE_HIDING:
            return list(diff.vanished)
        tiers_of: dict[int, set[str]] = {}  # thousands of equal size share one list
        for items in candidates.values():
            if id(items) not in tiers_of:
                tiers_of[id(items)] = {self.run.tier(item) for item in items}
        return [
            known
            for known in diff.vanished
            if not (tiers := tiers_of[id(candidates[known.document_key])])
            or any(self._rises(known, tier) for tier in tiers)
        ]

    def _rises(self, known: KnownItem, tier: str) -> bool:
        tiers = self.run.parts.options.tiers
        return known.tier != tier and is_raised(known.tier, tier, tiers=tiers)

    def _apply_rules(self, diff: Diff, *, raised: bool) -> None:
        """Give documents that stay where they are the tier that the source's rule says now."""
        documents = self.run.parts.ingestion.documents
        changed = [
            (item, known)
            for item, known in (*diff.unchanged, *diff.to_read)
            if known is not None
            and known.tier != self.run.tier(item)
            and self._rises(known, self.run.tier(item)) is raised
        ]
        if raised and len(changed) > 1:
            documents.hide([known.document_key for _, known in changed])
        for item, known in changed:
            unread = replace(item, fingerprint=known.fingerprint)
            documents.move(known.document_key, unread, tier=self.run.tier(item))

    def _record_rejected(self, fresh: Sequence[tuple[KnownItem | None, RejectedItem]]) -> None:
        """Record rejected items with their reason; text that was read there goes."""
        parts = self.run.parts
        documents = parts.ingestion.documents
        documents.delete([before.document_key for before, _ in fresh if before is not None])
        for _, item in fresh:
            origin = Origin(
                source_id=self.run.source.id,
                item=SourceItem(item.relative_path, 0, 0, ""),
                tier=parts.options.tiers[-1],
                content_sha256="",
                recipe=parts.recipe,
            )
            failure = Failure(stage="read", type="RejectedItem", reason=item.reason)
            version = version_of(origin, state=DocumentState.UNSUPPORTED)
            documents.record_failure(version, failure)
        self.run.tally.add(failed=len(fresh))

    def _find_moves(self, diff: Diff) -> tuple[list[Move], Diff]:
        """Return what only moved, and the diff without it."""
        max_bytes = self.run.parts.options.max_file_bytes
        moves = find_moves(diff, self.run.connector, max_bytes=max_bytes)
        moved = {move.known.document_key for move in moves}
        arrived = {move.item.relative_path for move in moves}
        return moves, replace(
            diff,
            to_read=tuple(pair for pair in diff.to_read if pair[0].relative_path not in arrived),
            vanished=tuple(known for known in diff.vanished if known.document_key not in moved),
        )

    def _follow(self, moves: Sequence[Move]) -> None:
        """Give what only moved its new path and tier: a millisecond or two each."""
        documents = self.run.parts.ingestion.documents
        for move in moves:
            tier = self.run.tier(move.item)
            documents.move(move.known.document_key, move.item, tier=tier)
        self.run.tally.add(moved=len(moves))

    def _count_missing(self, missing: Sequence[KnownItem]) -> None:
        """Count what went; hold all that is missing when it is too much for one scan."""
        parts = self.run.parts
        documents = parts.ingestion.documents
        if all(known.held_until is not None for known in missing):
            return
        n_new = sum(known.missing_since is None for known in missing)
        counts = documents.count_items(self.run.source.id)
        if self.confirmed or not is_mass_deletion(counts, parts.options.deletions):
            self.run.tally.add(deleted=n_new)
            return
        known = documents.known_items(self.run.source.id)
        every = [item.document_key for item in known if item.missing_since is not None]
        documents.hide(every, held_until=parts.now() + parts.options.deletions.hold)
        self.run.tally.add(hidden=n_new)

    def _show_again(self, diff: Diff) -> None:
        """Show what came back before it was erased."""
        back = [known for _, known in diff.unchanged if known.missing_since is not None]
        self.run.parts.ingestion.documents.show([known.document_key for known in back])
        self.run.tally.add(restored=len(back))


def _without_unlisted(diff: Diff, rejected: Sequence[RejectedItem]) -> Diff:
    """Take out of the vanished what may still lie in folders that could not be listed."""
    unlisted = tuple(f"{item.relative_path}/" for item in rejected if item.may_hold_items)
    return replace(
        diff,
        vanished=tuple(k for k in diff.vanished if not k.relative_path.startswith(unlisted)),
    )


def _split_rejected(
    diff: Diff, rejected: Sequence[RejectedItem]
) -> tuple[list[tuple[KnownItem | None, RejectedItem]], Diff]:
    """Return the rejections that are news, each with what is known, and the diff without any."""
    vanished = {known.relative_path: known for known in diff.vanished}
    fresh: list[tuple[KnownItem | None, RejectedItem]] = []
    for item in rejected:
        before = vanished.pop(item.relative_path, None)
        if not (before and before.failure and before.failure.reason == item.reason):
            fresh.append((before, item))
    return fresh, replace(diff, vanished=tuple(vanished.values()))
