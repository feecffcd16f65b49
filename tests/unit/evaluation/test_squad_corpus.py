from __future__ import annotations

from pathlib import Path

from citewell.evaluation.squad_corpus import corpus_key, write_documents

DOCUMENTS = {"1 Ships/a.txt": "Ein Schiff.", "2 船/b.txt": "一条船。"}


def test_key_names_paths_and_texts() -> None:
    key = corpus_key(DOCUMENTS)
    assert len(key) == 16
    assert key == corpus_key(dict(reversed(DOCUMENTS.items())))
    others = [
        DOCUMENTS | {"2 船/b.txt": "两条船。"},
        {"1 Ships/a.txt": "Ein Schiff."},
        {"1 Ships/a.txtEin": " Schiff.", "2 船/b.txt": "一条船。"},
    ]
    assert key not in map(corpus_key, others)


def test_documents_are_written_once(tmp_path: Path) -> None:
    write_documents(DOCUMENTS, tmp_path)
    files = {path: tmp_path / path for path in DOCUMENTS}
    assert {path: file.read_text("utf-8") for path, file in files.items()} == DOCUMENTS
    first, second = files.values()
    second.write_text("damaged", encoding="utf-8")
    before = first.stat().st_mtime_ns
    write_documents(DOCUMENTS, tmp_path)
    assert second.read_text("utf-8") == "一条船。"
    assert first.stat().st_mtime_ns == before
