from __future__ import annotations

from citewell.ports.embedder import PassageText


def test_title_and_headings_come_first_and_once():
    passage = PassageText("Limits are 5.", title="Export", heading_path=("Export", "Limits"))
    assert passage.text == "Export › Limits\nLimits are 5."
    assert PassageText("Limits are 5.").text == "Limits are 5."


def test_figures_of_a_table_are_not_embedded():
    passage = PassageText("Statement of income\nSales 118,573 94,665", title="Report 1 2 3")
    assert passage.text == "Report 1 2 3\nStatement of income\nSales"
    assert passage.content == "Statement of income\nSales 118,573 94,665"
