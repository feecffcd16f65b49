"""Divide a document's blocks into sections by heading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from citewell.domain.chunk import Block


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading, without those of its subsections.

    Attributes:
        heading_path: Headings above the text, outermost first, its own included.
        blocks: The heading's block first, if there is one.
    """

    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def start(self) -> int:
        """First character of the first block."""
        return self.blocks[0].start

    @property
    def end(self) -> int:
        """One past the last character of the last block."""
        return self.blocks[-1].end


@dataclass(frozen=True, slots=True)
class SectionGroup:
    """Sections that are divided into chunks together.

    Attributes:
        heading_path: Headings that hold for all of the text.
        sections: One, or several tiny neighbours with one parent.
    """

    heading_path: tuple[str, ...]
    sections: tuple[Section, ...]

    def path_before(self, position: int) -> tuple[str, ...]:
        """Return the headings that hold for text that ends at a position.

        They are fewer than `heading_path` where headings without text joined a section and the text
        ends among them.
        """
        if len(self.sections) > 1:
            return self.heading_path
        # headings come first: only those among the first blocks can lie behind a position
        blocks = (block for section in self.sections for block in section.blocks)
        headings = takewhile(lambda block: block.kind == "heading", blocks)
        n_later = sum(block.title != "" and block.start >= position for block in headings)
        return self.heading_path[: len(self.heading_path) - n_later]


def group_sections(
    blocks: Sequence[Block], *, is_tiny: Callable[[Section], bool]
) -> list[SectionGroup]:
    """Divide blocks into sections and join the tiny neighbours that share a parent.

    A heading without text joins the section that follows if that lies below it. Two or more
    neighbours that are tiny and have the same parent form a group whose path is the parent's, so
    that the path stays true for all of its text; a single tiny section keeps its own path.
    """
    sections = _join_bare_headings(_split_sections(blocks))

    def shared_parent(section: Section) -> tuple[str, ...] | None:
        # Text before the first heading has no parent to share.
        return section.heading_path[:-1] if section.heading_path and is_tiny(section) else None

    groups: list[SectionGroup] = []
    for parent, run in groupby(sections, key=shared_parent):
        members = tuple(run)
        if parent is None or len(members) == 1:
            groups += [SectionGroup(section.heading_path, (section,)) for section in members]
        else:
            groups.append(SectionGroup(parent, members))
    return groups


def _split_sections(blocks: Sequence[Block]) -> list[Section]:
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    members: list[Block] = []
    for block in blocks:
        if block.kind == "heading":
            if members:
                sections.append(_section(path, members))
            path = [
                *(entry for entry in path if entry[0] < block.level),
                (block.level, block.title),
            ]
            members = []
        members.append(block)
    if members:
        sections.append(_section(path, members))
    return sections


def _section(path: Sequence[tuple[int, str]], blocks: Sequence[Block]) -> Section:
    return Section(tuple(title for _, title in path if title), tuple(blocks))


def _join_bare_headings(sections: Sequence[Section]) -> list[Section]:
    joined: list[Section] = []
    for section in sections:
        previous = joined[-1] if joined else None
        if previous and _is_bare(previous) and _is_below(section, previous):
            joined[-1] = Section(section.heading_path, previous.blocks + section.blocks)
        else:
            joined.append(section)
    return joined


def _is_bare(section: Section) -> bool:
    return all(_has_no_text(block) for block in section.blocks)


def _has_no_text(block: Block) -> bool:
    return block.kind in {"heading", "rule"}


def _is_below(section: Section, above: Section) -> bool:
    depth = len(above.heading_path)
    return section.heading_path[:depth] == above.heading_path and (
        section.blocks[0].level > above.blocks[-1].level
    )
