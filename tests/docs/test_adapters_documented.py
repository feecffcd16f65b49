"""Every port and every contract test for adapter authors stands in `docs/adapters.md`."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adapters.md").read_text("utf-8")


def test_every_port_has_a_row() -> None:
    files = (ROOT / "src" / "citewell" / "ports").glob("*.py")
    texts = [path.read_text("utf-8") for path in files]
    ports = {
        name
        for text in texts
        for name in re.findall(r"^class (\w+)\(Protocol\)", text, re.MULTILINE)
    }
    assert ports == set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))


def test_every_folder_of_adapters_is_named() -> None:
    folders = (ROOT / "src" / "citewell" / "adapters").glob("*/__init__.py")
    named = set(re.findall(r"`adapters/(\w+)/`", PAGE))
    assert {path.parent.name for path in folders} == named
