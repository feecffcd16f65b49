"""An answer is given again if, and only if, it would be made again from the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from answering_samples import make_chunk, make_passages
from remembering import KEY, LIMIT, QUESTION, World, answer_from

from citewell.answering.remembering.answer_cache import CacheKey, evidence_of, is_worth_keeping
from citewell.domain.answer import Answer, Grounding, Sentence
from citewell.domain.clearance import Clearance
from citewell.domain.errors import EmbedderError, RetrievalNotReadyError
from citewell.domain.passage import SearchFilters, SearchResult
from citewell.ports.answer_cache import UsedChunk
from citewell.testing.scripted_embedder import ScriptedEmbedder


@pytest.fixture
def world() -> World:
    return World()


def test_same_question_over_the_same_evidence_gets_the_answer_again(world: World) -> None:
    assert world.find() is None
    assert world.searched == []
    assert world.keep()
    world.confidence = 0.95
    fresh = answer_from(LIMIT)
    assert world.find() == replace(
        fresh,
        cached=True,
        confidence=0.95,
        citations=(replace(fresh.citations[0], score=0.9),),
        timings_ms={},
        usage={},
        trace=None,
    )
    assert world.searched == [QUESTION]


@pytest.mark.parametrize(
    "key",
    [
        replace(KEY, question="What is the export limit of Borealis?"),
        replace(KEY, question="what is the export limit of atlas?"),
        replace(KEY, clearance=Clearance(("employee", "manager"))),
        replace(KEY, clearance=Clearance(("employee", "director"))),
        replace(KEY, top_k=6),
        replace(KEY, model="large"),
        replace(KEY, version="prompts-2"),
        replace(KEY, filters=SearchFilters(source="handbook")),
        replace(KEY, filters=SearchFilters(path_prefix="notes/")),
        replace(KEY, filters=SearchFilters(tags=("a",))),
        replace(KEY, filters=SearchFilters(types=("a",))),
        replace(KEY, filters=SearchFilters(modified_after="2026-01-01")),
        replace(KEY, filters=SearchFilters(modified_before="2026-01-01")),
        replace(KEY, rewritten=QUESTION),
        replace(KEY, rewritten="What is the import limit of Atlas?"),
    ],
    ids=lambda key: next(
        f"{name}={getattr(key, name)}"
        for name in CacheKey.__slots__
        if getattr(key, name) != getattr(KEY, name)
    ),
)
def test_whatever_is_asked_otherwise_gets_no_remembered_answer(world: World, key: CacheKey) -> None:
    assert world.keep()
    assert world.find(key) is None
    assert world.keep(key, written_by=key.model)
    assert world.find(key) is not None


def test_other_release_or_address_gets_no_remembered_answer(world: World) -> None:
    assert world.keep()
    world.memory = replace(world.memory, made_with="release 2")
    assert world.find() is None
    assert world.keep()
    assert world.find() is not None


def test_filters_that_share_values_are_not_the_same(world: World) -> None:
    assert world.keep(replace(KEY, filters=SearchFilters(tags=("a", "b"))))
    assert world.find(replace(KEY, filters=SearchFilters(tags=("a,b",)))) is None
    assert world.find(replace(KEY, filters=SearchFilters(tags=("a",), types=("b",)))) is None


def _forget_all(world: World) -> None:
    world.reader.chunks.clear()


CHANGES: dict[str, Callable[[World], object]] = {
    "cited text edited": lambda w: w.change(0, content="The export limit is 900 rows."),
    "other text edited": lambda w: w.change(1, content="Atlas exports to XML."),
    "cited document deleted": lambda w: w.reader.chunks.pop(0),
    "other document deleted": lambda w: w.reader.chunks.pop(1),
    "everything deleted": _forget_all,
    "document added": lambda w: w.reader.chunks.append(make_chunk("New: 700 rows.", key=3)),
    "same text written anew": lambda w: w.change(0, chunk_key=9),
    "same text in another document": lambda w: w.change(0, document_id="d9"),
    "tier raised": lambda w: w.change(0, tier="director"),
    "other tier raised": lambda w: w.change(1, tier="director"),
    "moved in its document": lambda w: w.change(0, span=(10, 10 + len(LIMIT))),
    "renamed": lambda w: w.change(0, relative_path="notes/z.md"),
    "retitled": lambda w: w.change(0, title="Old limits (not valid)"),
    "under another heading": lambda w: w.change(0, heading_path=("History",)),
    "source renamed": lambda w: w.change(0, source_name="archive"),
    "on another page": lambda w: w.change(0, page_start=4),
    "not enough any more": lambda w: setattr(w, "is_sufficient", False),
    "another notice": lambda w: setattr(w, "notice", "searched by words alone"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_other_evidence_gets_no_remembered_answer(
    world: World, change: Callable[[World], object]
) -> None:
    assert world.keep()
    assert world.find() is not None
    change(world)
    assert world.find() is None


def test_rank_score_and_time_of_change_do_not_matter(world: World) -> None:
    assert world.keep()
    world.reader.chunks.reverse()
    world.change(0, modified_at="2026-11-30T00:00:00Z")
    found = world.find()
    assert found is not None
    assert [citation.score for citation in found.citations] == [0.8]


def test_citations_are_verified_against_the_reader_of_now(world: World) -> None:
    assert world.keep()
    found = world.search(QUESTION)
    world.reader.chunks.pop(0)  # between the search and the check
    assert world.memory.find(KEY, lambda _: found) is None


def test_cited_passage_that_the_searches_lack_is_no_hit(world: World) -> None:
    assert world.keep()
    (entry,) = world.cache._entries
    world.cache._entries[0] = (*entry[:2], replace(entry[2], searches=()))
    assert world.find() is None


class TestSeveralSearches:
    QUESTIONS = ("limit of Atlas", "formats of Atlas")

    def keep(self, world: World) -> bool:
        found = {question: world.search(question) for question in self.QUESTIONS}
        kept = world.memory.keep(KEY, found, answer_from(LIMIT), written_by="small")
        world.searched.clear()
        return kept

    def test_are_all_made_again(self, world: World) -> None:
        assert self.keep(world)
        world.confidence = 0.3
        found = world.find()
        assert found is not None
        assert (found.confidence, tuple(world.searched)) == (0.8, self.QUESTIONS)

    def test_one_that_finds_something_else_is_enough_for_no_hit(self, world: World) -> None:
        assert self.keep(world)

        def search(question: str) -> SearchResult:
            found = world.search(question)
            return found if question == self.QUESTIONS[0] else replace(found, passages=())

        assert world.memory.find(KEY, search) is None


def test_errors_of_the_search_are_told(world: World) -> None:
    assert world.keep()

    def search(_: str) -> SearchResult:
        raise RetrievalNotReadyError

    with pytest.raises(RetrievalNotReadyError):
        world.memory.find(KEY, search)


GOOD = answer_from(LIMIT)
NOT_KEPT: dict[str, Answer] = {
    **{mode: replace(GOOD, mode=mode) for mode in ("no_answer", "refused", "fallback")},
    "from memory": replace(GOOD, cached=True),
    "without citations": replace(GOOD, citations=()),
    "without sentences": replace(GOOD, sentences=()),
    "notices only": replace(GOOD, sentences=(Sentence("It is not known.", "notice", ()),)),
    "uncited sentence": replace(
        GOOD, sentences=(*GOOD.sentences, Sentence("It is blue.", "claim", ()))
    ),
    "not valid": replace(GOOD, grounding=Grounding(has_citations=True, citations_valid=False)),
    "not cited": replace(GOOD, grounding=Grounding(has_citations=False, citations_valid=True)),
    "cites what was not retrieved": replace(
        GOOD, citations=(*GOOD.citations, replace(GOOD.citations[0], n=2, chunk_id="c9"))
    ),
    "cites other words": replace(
        GOOD, citations=(replace(GOOD.citations[0], quote=LIMIT.replace("500", "900")),)
    ),
}


@pytest.mark.parametrize("answer", NOT_KEPT.values(), ids=NOT_KEPT.keys())
def test_what_is_no_whole_cited_answer_is_not_kept(world: World, answer: Answer) -> None:
    found = {QUESTION: world.search(QUESTION)}
    assert not world.memory.keep(KEY, found, answer, written_by="small")
    assert world.find() is None
    assert list(world.cache.used_chunks()) == []
    assert world.memory.keep(KEY, found, GOOD, written_by="small")


@pytest.mark.parametrize("writer", [None, "large", "extractive"])
def test_what_was_cut_or_written_by_another_is_not_kept(world: World, writer: str | None) -> None:
    assert not world.keep(written_by=writer)
    assert world.find() is None


def test_cited_passage_that_exists_but_was_not_found_is_no_evidence(world: World) -> None:
    found = {QUESTION: world.search(QUESTION)}
    text = "Borealis has no limit."
    world.reader.chunks.append(make_chunk(text, key=3))
    other = answer_from(text, chunk_id="c3", document_id="d3")
    assert not world.memory.keep(KEY, found, other, written_by="small")
    assert list(world.cache.used_chunks()) == []
    assert world.memory.keep(KEY, {QUESTION: world.search(QUESTION)}, other, written_by="small")


def test_notice_beside_cited_sentences_is_kept() -> None:
    notice = Sentence("The price is not in the documents.", "notice", ())
    assert is_worth_keeping(replace(GOOD, sentences=(*GOOD.sentences, notice)))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_answer_whose_documents_went_while_it_was_written_is_not_kept(
    world: World, change: Callable[[World], object]
) -> None:
    found = {QUESTION: world.search(QUESTION)}
    change(world)
    kept = world.memory.keep(KEY, found, GOOD, written_by="small")
    is_change_of_documents = change not in {
        CHANGES["document added"],
        CHANGES["not enough any more"],
        CHANGES["another notice"],
    }
    assert kept != is_change_of_documents
    assert bool(world.cache.used_chunks()) != is_change_of_documents


def test_all_that_was_retrieved_is_named_for_forgetting(world: World) -> None:
    assert world.keep()
    assert list(world.cache.used_chunks()) == [
        UsedChunk("d1", 1, "employee"),
        UsedChunk("d2", 2, "employee"),
    ]


def test_passage_made_of_other_chunks_is_other_evidence() -> None:
    first, second = make_chunk("One.", key=1), make_chunk("Two.", key=2)
    (passage,) = make_passages(first)
    both = replace(passage, chunks=(first, second))
    found = [SearchResult(0.5, [one], is_sufficient=True) for one in (passage, both)]
    assert evidence_of(found[0]) != evidence_of(found[1])


class TestSimilarQuestions:
    """With the setting on; the worst case: every question has the same vector."""

    POLITE = replace(KEY, question="Please tell me what is the export limit of Atlas")

    @pytest.fixture
    def embedder(self) -> ScriptedEmbedder:
        return ScriptedEmbedder({QUESTION: [1, 0], self.POLITE.question: [0.96, 0.28]}, dim=2)

    def remembering(self, world: World, embedder: ScriptedEmbedder, at_least: float) -> World:
        world.memory = replace(world.memory, embedder=embedder, min_similarity=at_least)
        return world

    def test_are_off_by_default(self, world: World) -> None:
        assert world.keep()
        assert world.find(self.POLITE) is None

    def test_get_the_answer_if_they_are_similar_enough(
        self, world: World, embedder: ScriptedEmbedder
    ) -> None:
        assert self.remembering(world, embedder, 0.95).keep()
        found = world.find(self.POLITE)
        assert found is not None
        assert found.cached
        assert world.searched == [self.POLITE.question]
        assert self.remembering(world, embedder, 0.97).find(self.POLITE) is None

    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
    def test_need_the_same_evidence_too(
        self, world: World, embedder: ScriptedEmbedder, change: Callable[[World], object]
    ) -> None:
        assert self.remembering(world, embedder, 0.95).keep()
        change(world)
        assert world.find(self.POLITE) is None

    @pytest.mark.parametrize(
        "other",
        [
            replace(KEY, question="Please tell me what is the import limit of Atlas"),
            replace(POLITE, clearance=Clearance(("employee", "manager"))),
            replace(POLITE, top_k=6),
            replace(POLITE, model="large"),
            replace(POLITE, version="prompts-2"),
            replace(POLITE, filters=SearchFilters(source="handbook")),
            replace(POLITE, rewritten="export limit"),
        ],
    )
    def test_need_the_rest_of_the_key_too(self, world: World, other: CacheKey) -> None:
        alike = ScriptedEmbedder({key.asked: [1, 0] for key in (KEY, self.POLITE, other)}, dim=2)
        assert self.remembering(world, alike, 0.95).keep()
        assert world.find(self.POLITE) is not None
        assert world.find(other) is None

    def test_get_no_answer_that_took_other_searches(
        self, world: World, embedder: ScriptedEmbedder
    ) -> None:
        self.remembering(world, embedder, 0.95)
        found = {text: world.search(text) for text in (QUESTION, "Atlas")}
        assert world.memory.keep(KEY, found, GOOD, written_by="small")
        assert world.find() is not None
        assert world.find(self.POLITE) is None

    def test_without_an_embedder_that_works_are_no_hits(
        self, world: World, embedder: ScriptedEmbedder
    ) -> None:
        assert self.remembering(world, embedder, 0.95).keep()

        def fail(_: object) -> None:
            raise EmbedderError("away")

        embedder.before = fail
        assert world.find(self.POLITE) is None
        assert world.find() is not None
