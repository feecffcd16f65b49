"""The container files name what is there, and nothing that is not safe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from citewell.settings import Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
SERVICE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))[
    "services"
]["citewell"]
_COPIED = re.compile(r"^COPY (?!--from)(.+) \S+$", re.MULTILINE)
_OTHER_VARIABLES = {"UV_PYTHON_DOWNLOADS", "UV_LINK_MODE", "UV_COMPILE_BYTECODE", "PATH"}


def test_copied_paths_exist_and_are_sent_to_the_engine() -> None:
    copied = {path for found in _COPIED.findall(DOCKERFILE) for path in found.split()}
    sent = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert copied
    assert all((ROOT / path).exists() for path in copied)
    assert {f"!{path}" for path in copied} <= set(sent)


def test_variables_are_settings() -> None:
    in_image = {
        name
        for line in re.findall(r"^ENV (.+)$", DOCKERFILE, re.MULTILINE)
        for name in re.findall(r"([A-Z_]+)=", line)
    }
    given = (in_image | SERVICE["environment"].keys()) - _OTHER_VARIABLES - {"PYTHONUNBUFFERED"}
    assert given
    assert {name.lower() for name in given} <= Settings.model_fields.keys()


def test_container_has_no_more_rights_than_it_needs() -> None:
    user = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert user == ["10001"]
    assert SERVICE["cap_drop"] == ["ALL"]
    assert SERVICE["read_only"] is True
    assert "no-new-privileges:true" in SERVICE["security_opt"]
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])
    mounted = [v for v in SERVICE["volumes"] if not v.startswith("data:")]
    assert all(volume.endswith(":ro") for volume in mounted)


def test_stopping_waits_for_answers_to_end() -> None:
    patience_s = int(SERVICE["stop_grace_period"].removesuffix("s"))
    assert patience_s > Settings.model_fields["server_shutdown_seconds"].default
