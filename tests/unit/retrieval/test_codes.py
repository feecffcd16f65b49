import pytest

from citewell.retrieval.codes import missing_codes


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("What does error ERR-7788 mean?", "ERR-4711 means that the cursor expired.", ["ERR-7788"]),
        ("What does error ERR-4711 mean?", "ERR-4711 means that the cursor expired.", []),
        ("错误码 ERR-7788 是什么意思？", "ERR-4711", ["ERR-7788"]),
        ("err4711?", "| ERR-4711 | 400 |", []),
        ("What was revenue in FY2023?", "Revenue of fiscal 2023 was 5 million.", []),
        ("How is a P1 ticket escalated?", "Severity one", []),
        ("Who won the cup in 2018?", "Nothing about it", []),
        ("Compare A-100 with B-200.", "A-100 is blue.", ["B-200"]),
        ("What is v10.244.3?", "Release 10.244 of May", []),
    ],
)
def test_code_must_occur_by_its_numbers(question: str, text: str, missing: list[str]) -> None:
    assert missing_codes(question, [text]) == missing


def test_code_may_occur_in_any_text() -> None:
    assert missing_codes("ERR-4711", ["nothing", "see ERR-4711"]) == []
