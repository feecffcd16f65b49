import json

import pytest
from sample_files import make_odt

from citewell.adapters.converters.formats.canvas import convert_canvas
from citewell.adapters.converters.formats.delimited import convert_delimited
from citewell.adapters.converters.formats.html import convert_html
from citewell.adapters.converters.formats.mail import convert_mail
from citewell.adapters.converters.formats.markdown_output import (
    escape_cell,
    markdown_table,
    tidy_markdown,
)
from citewell.adapters.converters.formats.notebook import convert_notebook
from citewell.adapters.converters.formats.open_document import convert_open_document
from citewell.adapters.converters.formats.plain_text import convert_markdown_bytes, convert_text
from citewell.adapters.converters.formats.xml_text import convert_svg, convert_xml
from citewell.domain.errors import (
    ConversionError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)


def test_html_keeps_structure_and_drops_what_is_not_text():
    page = (
        "<html><head><title>Rates</title><style>b{}</style></head><body><h2>Plans</h2>"
        "<script>alert(1)</script><p>See <a href='https://example.org/x'>terms</a> and "
        "<a href='javascript:alert(1)'>more</a>. <img src='https://t.invalid/p.gif' alt='A chart'>"
        "</p><table><tr><th>Plan</th></tr><tr><td>Basic</td></tr></table></body></html>"
    )

    document = convert_html(page.encode())

    assert document.text == (
        "## Plans\n\nSee [terms](https://example.org/x) and more. A chart\n\n"
        "| Plan |\n| --- |\n| Basic |"
    )
    assert (document.title, document.syntax, document.notes) == ("Rates", "markdown", ())


@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        "style='display: none'",
        "style='visibility:hidden'",
        "style='font-size:0px'",
        "style='color:#FFF;background:#fff'",
        "style='position:absolute;left:-9999px'",
        "style='opacity:0'",
    ],
)
def test_hidden_text_in_html_stays_and_is_flagged(attribute: str):
    document = convert_html(f"<p>Seen</p><p {attribute}>Unseen</p><p hidden></p>".encode())

    assert document.text == "Seen\n\nUnseen"
    assert document.notes == ("text in 1 place is hidden in the original",)


@pytest.mark.parametrize("style", ["color:#fffacd", "background-color:#fff", "opacity:0.5"])
def test_ordinary_styles_are_not_flagged(style: str):
    assert convert_html(f"<p style='{style}'>Seen</p>".encode()).notes == ()


def test_html_nested_too_deeply_gives_its_text():
    assert convert_html(b"<div>" * 20_000 + b"deep").text == "deep"


def test_embedded_data_is_removed_from_markdown():
    markdown = (
        "![a](data:image/png;base64,AAAA) [b](data:text/html;base64,QUJD) data:text/x,abc end"
    )

    assert tidy_markdown(markdown) == "a b  end"


def test_a_table_escapes_bars_and_fills_short_rows():
    assert markdown_table([["a|b", "c"], ["line\nend"]]) == (
        "| a\\|b | c |\n| --- | --- |\n| line end |  |"
    )
    assert markdown_table([]) == ""
    assert escape_cell("  a \t b ") == "a b"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        (b'a;b\n"1;2";3\n\n', "| a | b |\n| --- | --- |\n| 1;2 | 3 |"),
        (b"a\tb\n1,5\t2,5\n", "| a | b |\n| --- | --- |\n| 1,5 | 2,5 |"),
        ("名前,値\n鍵,1\n".encode("cp932"), "| 名前 | 値 |\n| --- | --- |\n| 鍵 | 1 |"),
        (b"Keys,,\na,b,c\n1,,3\n", "Keys\n\n| a | b | c |\n| --- | --- | --- |\n| 1 |  | 3 |"),
        (b"one column\nonly\n", "one column\nonly\n"),
    ],
)
def test_delimited_text_becomes_a_table(data: bytes, text: str):
    assert convert_delimited(data).text == text


def test_a_cell_with_a_line_break_and_nul_is_one_cell():
    document = convert_delimited(b'a,b\n"x\r\ny",\0z\n')

    assert document.text == "| a | b |\n| --- | --- |\n| x y | z |"
    assert document.notes == ("removed 1 invisible character",)


MAIL = (
    b"From: Ann <ann@example.org>\r\nTo: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r\n"
    b"Subject: =?gb2312?B?1LqzpA==?= keys\r\nDate: Mon, 4 Mar 2024 10:00:00 +0000\r\n"
)


def test_a_mail_has_headers_and_text():
    body = b"Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\xfc\xdfe\r\n"

    document = convert_mail(MAIL + body)

    assert document.text == (
        "Subject: 院长 keys\nFrom: Ann <ann@example.org>\nTo: Jürgen <j@example.org>\n"
        "Date: Mon, 04 Mar 2024 10:00:00 +0000\n\nGrüße"
    )
    assert (document.title, document.syntax) == ("院长 keys", "plain")


def test_a_mail_shows_its_best_part_and_names_attachments():
    body = (
        b"Content-Type: multipart/mixed; boundary=o\r\n\r\n"
        b"--o\r\nContent-Type: multipart/alternative; boundary=i\r\n\r\n"
        b"--i\r\nContent-Type: text/plain\r\n\r\nplain words\r\n"
        b"--i\r\nContent-Type: text/html\r\n\r\n<p>html words</p>\r\n--i--\r\n"
        b"--o\r\nContent-Type: application/pdf\r\n"
        b"Content-Disposition: attachment; filename=plan.pdf\r\n\r\n%PDF\r\n--o--\r\n"
    )

    document = convert_mail(MAIL + body)

    assert document.text.endswith("\n\nplain words")
    assert document.notes == ("1 attachment not read: plan.pdf",)


def test_a_mail_in_html_only_becomes_markdown():
    body = b"Content-Type: text/html\r\n\r\n<h1>Hi</h1><p>there</p>"

    document = convert_mail(MAIL + body)

    assert document.text.endswith("# Hi\n\nthere")
    assert document.syntax == "markdown"


def test_an_enclosed_message_is_read_too():
    body = (
        b"Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n\r\nsee below\r\n"
        b"--o\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner words\r\n--o--\r\n"
    )

    text = convert_mail(MAIL + body).text

    assert text.endswith("see below\n\nEnclosed message:\n\nSubject: inner\n\ninner words")


@pytest.mark.parametrize(
    "content_type",
    [
        b"multipart/encrypted; protocol=application/pgp-encrypted; boundary=x",
        b"application/pkcs7-mime; smime-type=enveloped-data",
    ],
)
def test_an_encrypted_mail_is_protected(content_type: bytes):
    with pytest.raises(ProtectedDocumentError):
        convert_mail(MAIL + b"Content-Type: " + content_type + b"\r\n\r\n--x--")


def test_a_mail_without_anything_is_refused():
    with pytest.raises(UnsupportedDocumentError, match="neither headers nor text"):
        convert_mail(b"\r\n\r\n")


def test_a_notebook_gives_text_and_code():
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Load\n", "Reads it."]},
            {"cell_type": "code", "source": ["read(1)"], "outputs": []},
        ],
        "metadata": {},
        "nbformat": 4,
    }

    document = convert_notebook(json.dumps(notebook).encode())

    assert document.text == "# Load\nReads it.\n\n```python\nread(1)\n```"
    assert (document.title, document.syntax) == ("Load", "markdown")


def test_a_broken_notebook_is_read_as_text():
    document = convert_notebook(b'{"cells": [')

    assert document.text == '{"cells": ['
    assert document.notes == ("not a notebook of a known layout, read as text",)


def test_a_canvas_gives_its_cards_from_top_to_bottom():
    board = {
        "nodes": [
            {"id": "2", "type": "file", "file": "Keys.md", "x": 0, "y": 50},
            {"id": "1", "type": "text", "text": "# Plan", "x": 0, "y": 0},
            {"id": "3", "type": "link", "url": "https://example.org", "x": 9, "y": 50},
        ],
        "edges": [{"id": "e", "label": "leads to"}],
    }

    document = convert_canvas(json.dumps(board).encode())

    assert document.text == "# Plan\n\nKeys.md\n\nhttps://example.org\n\nleads to"
    assert document.links == ("Keys.md",)


@pytest.mark.parametrize("data", [b"[1]", b"{", b'{"nodes": 3}', b'{"nodes": [1]}'])
def test_an_odd_canvas_is_read_as_text(data: bytes):
    assert convert_canvas(data).text == data.decode()


def test_an_xml_article_gives_its_text_by_blocks():
    article = (
        b'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE article SYSTEM "x.dtd">'
        b"<article><title>Rates</title><para>They are <emphasis>fixed</emphasis> for\n a year."
        b"</para><!-- draft --><para>Then not.</para></article>"
    )

    assert convert_xml(article).text == "Rates\nThey are fixed for a year.\nThen not."


def test_xml_that_is_mostly_markup_stays_as_it_is():
    data = b'<settings><limit name="exports" value="500"/></settings>'

    assert convert_xml(data).text == data.decode()


def test_a_feed_becomes_markdown():
    feed = (
        b'<rss version="2.0"><channel><title>News</title><item><title>Moved</title>'
        b"<description>We moved.</description></item></channel></rss>"
    )

    document = convert_xml(feed)

    assert (document.title, document.syntax) == ("News", "markdown")
    assert "Moved" in document.text


def test_broken_xml_is_read_as_text():
    document = convert_xml(b"<a><b>half")

    assert (document.text, document.notes) == (
        "<a><b>half",
        ("not well-formed XML, read as text",),
    )


@pytest.mark.parametrize("convert", [convert_xml, convert_svg])
@pytest.mark.parametrize(
    "declaration",
    [
        b'<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">',
        b'<!ENTITY x SYSTEM "file:///etc/passwd">',
        b'<!ENTITY % p SYSTEM "http://t.invalid/x">',
    ],
)
def test_xml_with_entities_is_refused(convert: type, declaration: bytes):
    data = b'<?xml version="1.0"?><!DOCTYPE svg [' + declaration + b"]><svg><text>&b;</text></svg>"

    with pytest.raises(ConversionError, match="entities"):
        convert(data)


def test_a_drawing_gives_its_text_only():
    drawing = (
        b'<svg xmlns="http://www.w3.org/2000/svg"><title>Floor</title><script>x()</script>'
        b"<text>Exit <tspan>A</tspan></text></svg>"
    )

    assert convert_svg(drawing).text == "Floor\nExit A"


def test_an_open_document_keeps_headings_lists_and_tables():
    body = (
        '<text:h text:outline-level="2">Rates</text:h>'
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        '<text:p>From<text:s text:c="2"/>May<text:line-break/>on</text:p>'
        "<text:list><text:list-item><text:p>one</text:p></text:list-item>"
        "<text:list-item><text:p>two</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Plan</text:p></table:table-cell>"
        '<table:table-cell table:number-columns-repeated="1000000"/></table:table-row>'
        "<table:table-row><table:table-cell><text:p>Basic</text:p></table:table-cell>"
        "</table:table-row></table:table>"
    )

    document = convert_open_document(make_odt(body, title="Rates 2024"))

    assert document.text == (
        "## Rates\n\nFrom  May on\n\n- one\n\n- two\n\n| Plan |\n| --- |\n| Basic |"
    )
    assert document.title == "Rates 2024"


def test_an_encrypted_open_document_is_protected():
    with pytest.raises(ProtectedDocumentError):
        convert_open_document(make_odt("", manifest="<m><encryption-data/></m>"))


def test_text_under_the_name_of_another_type_has_a_note():
    document = convert_text(b"just text", "report.pdf")

    assert document.text == "just text"
    assert document.notes == ("named .pdf but the content is plain text",)


def test_markdown_is_decoded_and_cleaned_before_it_is_read():
    note = "# Título\n\n#etique\u200bta [[Página]]\n".encode("utf_16")

    document = convert_markdown_bytes(note, "n.md")

    assert document.text == "# Título\n\n#etiqueta [[Página]]\n"
    assert (document.tags, document.links) == (("etiqueta",), ("Página",))
    assert "removed 1 invisible character" in document.notes
