"""What every embedder promises, as tests: subclass `EmbedderContract` with a fixture `embedder`."""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from citewell.ports.embedder import Embedder, PassageText

PASSAGES = (
    PassageText("Page the on-call engineer within 15 minutes.", title="Escalation policy"),
    PassageText(
        "导出上限为每天 5 万行。",
        title="Atlas CRM",
        heading_path=("Atlas CRM", "限制"),
        relative_path="products/Atlas CRM.md",
        tags=("product",),
        links=("Data Handling Policy",),
    ),
    PassageText("Müşteri verileri dışarıya gönderilmez."),
    PassageText("ERR_4711"),
)
QUESTIONS = ("How is a P1 ticket escalated?", "客户数据", "ERR_4711")

ODD_TEXTS = (
    "before\0after the NUL",
    "lone \ud800 surrogate",
    "emoji 👩‍👩‍👧‍👦 and flags 🇹🇷",
    "right to left: مرحبا \u202eabc\u202c",
    "combining: e\u0301\u0301\u0301 and zero width: a\u200bb\ufeff",
    "\ufdfa" * 4,
    "private \ue000, unassigned \U000e0fff, tag \U000e0041",
    "x" * 100,
    "word " * 30,
)


class EmbedderContract:
    """The promises of the port `Embedder`; each test takes the fixture `embedder`."""

    def test_passages_have_unit_length_and_the_dimension_of_the_model(
        self, embedder: Embedder
    ) -> None:
        vectors = embedder.embed_passages(PASSAGES)
        assert vectors.shape == (len(PASSAGES), embedder.model.dim)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)

    def test_a_question_has_unit_length_and_the_dimension_of_the_model(
        self, embedder: Embedder
    ) -> None:
        for question in QUESTIONS:
            vector = embedder.embed_query(question)
            assert vector.shape == (embedder.model.dim,)
            assert vector.dtype == np.float32
            np.testing.assert_allclose(np.linalg.norm(vector), 1.0, atol=1e-5)

    def test_rows_are_in_the_order_of_the_passages(self, embedder: Embedder) -> None:
        forwards = embedder.embed_passages(PASSAGES)
        backwards = embedder.embed_passages(PASSAGES[::-1])
        np.testing.assert_allclose(backwards[::-1], forwards, atol=1e-4)
        assert len(np.unique(forwards.round(3), axis=0)) == len(PASSAGES)

    def test_the_same_text_gives_the_same_vector(self, embedder: Embedder) -> None:
        np.testing.assert_array_equal(
            embedder.embed_passages(PASSAGES), embedder.embed_passages(PASSAGES)
        )
        np.testing.assert_array_equal(
            embedder.embed_query(QUESTIONS[0]), embedder.embed_query(QUESTIONS[0])
        )

    def test_a_batch_gives_what_single_passages_give(self, embedder: Embedder) -> None:
        single = [embedder.embed_passages([passage])[0] for passage in PASSAGES]
        np.testing.assert_allclose(embedder.embed_passages(PASSAGES), np.stack(single), atol=1e-4)

    def test_no_passages_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([]).shape == (0, embedder.model.dim)

    def test_empty_text_gives_the_zero_vector_and_leaves_its_neighbours_alone(
        self, embedder: Embedder
    ) -> None:
        vectors = embedder.embed_passages([PASSAGES[0], PassageText(""), PassageText(" \n\t")])
        np.testing.assert_allclose(vectors[0], embedder.embed_passages(PASSAGES[:1])[0], atol=1e-4)
        np.testing.assert_array_equal(vectors[1:], 0.0)
        np.testing.assert_array_equal(embedder.embed_query(""), 0.0)
        np.testing.assert_array_equal(embedder.embed_query(" \n "), 0.0)

    def test_odd_text_is_embedded(self, embedder: Embedder) -> None:
        passages = [PassageText(text, title="odd") for text in ODD_TEXTS]
        rows = embedder.embed_passages(passages)
        assert np.isfinite(rows).all()
        for text in ODD_TEXTS:
            assert np.isfinite(embedder.embed_query(text)).all()
            assert embedder.count_tokens(text) >= 0

    def test_text_after_a_nul_counts(self, embedder: Embedder) -> None:
        with_nul = embedder.embed_query("page\0engineer")
        assert not np.array_equal(with_nul, embedder.embed_query("page"))

    def test_threads_get_what_one_caller_gets(self, embedder: Embedder) -> None:
        expected = embedder.embed_passages(PASSAGES)
        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(embedder.embed_passages, PASSAGES) for _ in range(8)]
        for future in running:
            np.testing.assert_allclose(future.result(), expected, atol=1e-4)

    def test_longer_text_has_no_fewer_tokens(self, embedder: Embedder) -> None:
        counts = [embedder.count_tokens("ticket " * n) for n in (0, 1, 10, 1_000)]
        assert counts == sorted(counts)
        assert counts[-1] > counts[1]

    def test_the_key_of_the_model_names_provider_name_and_dimension(
        self, embedder: Embedder
    ) -> None:
        model = embedder.model
        assert model.key.startswith(f"{model.provider}/{model.name}/{model.dim}")
        assert model.max_tokens >= 1
