"""Small files of many types, made by hand so that each holds exactly what a test is about."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence

PdfLine = tuple[float, float, str]
"""Points from the left, points from the bottom, text."""


def make_zip(members: Mapping[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def make_tar(members: Mapping[str, bytes], mode: str = "w") -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def make_pdf(pages: Sequence[Sequence[PdfLine]], *, title: str = "") -> bytes:
    """Return a PDF in Courier 10; text is Latin-1."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    add(b"<< /Type /Catalog /Pages 2 0 R >>")
    add(f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode())
    add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>")
    for index, lines in enumerate(pages):
        content = b"BT /F1 10 Tf\n"
        for x, y, text in lines:
            escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            content += f"1 0 0 1 {x} {y} Tm ({escaped}) Tj\n".encode("cp1252")
        content += b"ET"
        add(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * index} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        add(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
    information = add(f"<< /Title ({title}) >>".encode("cp1252"))
    return _assemble_pdf(objects, information)


def _assemble_pdf(objects: Sequence[bytes], information: int) -> bytes:
    output = bytearray(b"%PDF-1.4\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(output))
        output += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(output)
    output += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        output += b"%010d 00000 n \n" % offset
    output += b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        information,
        start,
    )
    return bytes(output)


_WORD_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONSHIPS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}'
    "</Relationships>"
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD_BODY = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{_OFFICE}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
    "<w:body>{}</w:body></w:document>"
)


def make_docx(
    body: str, *, images: str = "", more: Mapping[str, bytes | str] | None = None
) -> bytes:
    """Return a Word document; `body` is WordprocessingML, `images` relationships."""
    main = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    return make_zip(
        {
            "[Content_Types].xml": _WORD_TYPES,
            "_rels/.rels": _RELATIONSHIPS.format(main),
            "word/document.xml": _WORD_BODY.format(body),
            "word/_rels/document.xml.rels": _RELATIONSHIPS.format(images),
            **(more or {}),
        }
    )


def paragraph(text: str, *, style: str = "", run: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    run_properties = f"<w:rPr>{run}</w:rPr>" if run else ""
    return f"<w:p>{properties}<w:r>{run_properties}<w:t>{text}</w:t></w:r></w:p>"


def picture(relationship: str, description: str) -> str:
    return (
        f'<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="{description}"/>'
        "<a:graphic><a:graphicData><pic:pic><pic:blipFill>"
        f'<a:blip r:embed="{relationship}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )


def image_relationship(identifier: str, target: str, *, external: bool = False) -> str:
    mode = ' TargetMode="External"' if external else ""
    return f'<Relationship Id="{identifier}" Type="{_OFFICE}/image" Target="{target}"{mode}/>'


def make_xlsx(sheets: Mapping[str, Mapping[str, object]], *, hidden: Sequence[str] = ()) -> bytes:
    """Return a workbook; each sheet maps cell names to values, or to (value, number format)."""
    import openpyxl

    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, cells in sheets.items():
        sheet = workbook.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for place, value in cells.items():
            if isinstance(value, tuple):
                sheet[place], sheet[place].number_format = value
            else:
                sheet[place] = value
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


def make_pptx(slides: Sequence[tuple[str, str]]) -> bytes:
    """Return a presentation with a title and a text on each slide."""
    import pptx

    presentation = pptx.Presentation()
    for title, text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def make_odt(body: str, *, manifest: str = "<manifest/>", title: str = "") -> bytes:
    """Return an OpenDocument text; `body` uses the prefixes text, table and office."""
    names = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    )
    meta = f'<meta xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></meta>'
    return make_zip(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<?xml version='1.0'?><office:d {names}>{body}</office:d>",
            "meta.xml": meta,
            "META-INF/manifest.xml": manifest,
        }
    )


def make_epub(chapters: Mapping[str, str], *, title: str) -> bytes:
    """Return an e-book; chapters are bodies of XHTML in reading order."""
    files = {
        f"{name}.xhtml": f"<html><body>{body}</body></html>" for name, body in chapters.items()
    }
    manifest = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>'
        for name in chapters
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title></metadata>"
        f"<manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/>'
        "</rootfiles></container>"
    )
    return make_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "book.opf": package,
            **files,
        }
    )
