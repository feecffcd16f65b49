"""Every setting stands in `docs/settings.md` and `.env.sample` as the code has it."""

import re
from pathlib import Path

from settings_pages import ROOT, env_sample, settings_page

from citewell.load_settings import load_settings
from citewell.settings import NO_EFFECT_YET, Settings, texts_about

RENEW = "run: .venv/bin/python tests/docs/settings_pages.py"


def test_settings_page_equals_the_code() -> None:
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == settings_page(), RENEW


def test_env_sample_equals_the_code() -> None:
    assert (ROOT / ".env.sample").read_text(encoding="utf-8") == env_sample(), RENEW


def test_env_sample_names_every_setting_once() -> None:
    names = re.findall(r"^#([A-Z_]+)=", env_sample(), flags=re.MULTILINE)
    assert names == [name.upper() for name in Settings.model_fields]


def test_env_sample_with_every_line_uncommented_changes_nothing(tmp_path: Path) -> None:
    sample = re.sub(r"^#([A-Z_]+=)", r"\1", env_sample(), flags=re.MULTILINE)
    (tmp_path / ".env").write_text(sample, encoding="utf-8")
    uncommented = load_settings(environ={}, folder=tmp_path)
    assert uncommented == load_settings(environ={}, folder=tmp_path / "without")


def test_every_setting_says_what_it_does_and_why_its_default() -> None:
    short = [
        name
        for name in Settings.model_fields
        if len(re.findall(r"[.;](?= |$)", texts_about(name)["meaning"])) < 2
        or not texts_about(name)["allowed"]
    ]
    assert short == []


def test_every_number_has_a_unit() -> None:
    numbers = [
        name
        for name, field in Settings.model_fields.items()
        if field.annotation in {int, float, float | None} and not texts_about(name)["unit"]
    ]
    assert numbers == []


def test_the_environment_is_read_in_one_place() -> None:
    hands_a_thread_count_to_a_library_in_c = "nano_e5.py"
    readers = {
        path.name
        for path in (ROOT / "src" / "citewell").rglob("*.py")
        if re.search(r"\bos\.(environ|getenv)\b", path.read_text(encoding="utf-8"))
    }
    assert readers - {hands_a_thread_count_to_a_library_in_c} == {"load_settings.py"}


def test_settings_without_effect_are_those_that_say_so() -> None:
    others = [p for p in (ROOT / "src" / "citewell").rglob("*.py") if p.name != "settings.py"]
    source = "\n".join(path.read_text(encoding="utf-8") for path in others)
    read_through = {"database_url": "catalog_path", "oidc_tiers": "tier_of_value"}
    unread = {
        name
        for name in Settings.model_fields
        if not re.search(rf"\bsettings\.{read_through.get(name, name)}\b", source)
    }
    assert unread == NO_EFFECT_YET
