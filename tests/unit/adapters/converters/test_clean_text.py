from citewell.adapters.converters.encodings.clean import clean_document, clean_title
from citewell.domain.document import ConvertedDocument, PageSpan


def test_page_spans_follow_the_text():
    document = ConvertedDocument(
        text="o\u200bne\n\ntw\0o\n\nthree",
        syntax="plain",
        pages=(PageSpan(1, 0, 4), PageSpan(2, 6, 10), PageSpan(3, 10, 10), PageSpan(4, 12, 17)),
    )

    cleaned = clean_document(document)

    assert cleaned.text == "one\n\ntwo\n\nthree"
    assert [cleaned.text[page.start : page.end] for page in cleaned.pages] == [
        "one",
        "two",
        "",
        "three",
    ]
    assert cleaned.notes == ("removed 2 invisible characters",)


def test_a_line_of_invisible_characters_leaves_no_gap_on_a_page():
    document = ConvertedDocument("a\n\n\u200b\n\nb", "plain", pages=(PageSpan(1, 0, 7),))

    cleaned = clean_document(document)

    assert (cleaned.text, cleaned.pages) == ("a\n\nb", (PageSpan(1, 0, 4),))


def test_a_document_without_pages_is_cleaned_with_a_note():
    document = ConvertedDocument("a\u200bb", "markdown", title="T\u202e\n x ", notes=("n",))

    cleaned = clean_document(document)

    assert cleaned == ConvertedDocument(
        "ab", "markdown", title="T x", notes=("n", "removed 1 invisible character")
    )


def test_a_title_is_one_short_line():
    assert clean_title(" a\n\tb " + "x" * 400) == "a b " + "x" * 296
