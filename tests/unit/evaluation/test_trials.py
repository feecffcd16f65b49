from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citewell.evaluation.passage_pool import PoolPassage, PoolQuestion
from citewell.evaluation.trials import Condition, CorpusPlan, Trial, draw_trials

N_ARTICLES = 10
PER_ARTICLE = 4
SETS = ("en", "de")
PASSAGES = [
    PoolPassage(name, n // PER_ARTICLE, (n,), f"{name} {n}")
    for name in SETS
    for n in range(N_ARTICLES * PER_ARTICLE)
]
QUESTIONS = [
    PoolQuestion("en", n // PER_ARTICLE, n, f"question {n}")
    for n in range(N_ARTICLES * PER_ARTICLE)
]


def _draw(plan: CorpusPlan, *, seed: int = 1) -> list[Trial]:
    return list(draw_trials(plan, QUESTIONS, PASSAGES, seed=seed))


def _held(trial: Trial) -> list[PoolPassage]:
    return [p for p, is_member in zip(PASSAGES, trial.members, strict=True) if is_member]


def _true_condition(trial: Trial) -> Condition:
    held = _held(trial)
    if any(trial.question.paragraph in passage.paragraphs for passage in held):
        return Condition.PRESENT
    if any(passage.article == trial.question.article for passage in held):
        return Condition.PARAGRAPH_ABSENT
    return Condition.TOPIC_ABSENT


@given(st.integers(0, 5), st.sampled_from([("en",), ("de",), SETS]))
def test_corpus_holds_what_its_condition_says(seed: int, set_names: tuple[str, ...]):
    trials = _draw(CorpusPlan("plan", set_names, 1, 20), seed=seed)
    assert {trial.condition for trial in trials} == set(Condition)
    assert [t for t in trials if t.condition != _true_condition(t)] == []


def test_corpus_draws_from_its_sets_only():
    trials = _draw(CorpusPlan("de", ("de",), 1, 20))
    assert {passage.set_name for trial in trials for passage in _held(trial)} == {"de"}


def test_small_corpora_have_the_planned_size():
    sizes = {(t.size, int(t.members.sum())) for t in _draw(CorpusPlan("en", ("en",), 2, 20))}
    assert sizes == {(12, 12), (40, 40), (40, 36), (40, 39)}


def test_questions_are_thinned_out_evenly():
    asked = [
        t.question.paragraph
        for t in _draw(CorpusPlan("en", ("en",), 0, 10))
        if t.condition is Condition.PRESENT
    ]
    assert asked == list(range(0, 40, 4))


def test_draws_repeat_for_the_same_seed():
    plan = CorpusPlan("en", ("en",), 2, 20)
    first, second = ([(t.question, tuple(t.members)) for t in _draw(plan)] for _ in range(2))
    assert first == second
    assert first != [(t.question, tuple(t.members)) for t in _draw(plan, seed=2)]
