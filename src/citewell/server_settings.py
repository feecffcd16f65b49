"""Settings of the server: where it listens, to whom, and how much at once."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from citewell.setting_fields import SettingGroup, number, setting, split_names

Names = Annotated[tuple[str, ...], BeforeValidator(split_names)]


class ServerSettings(SettingGroup):
    """Where the server listens, which names and pages it answers, and its limits."""

    server_host: str = setting("127.0.0.1", "an address or a host name of this machine")
    """Address that the server listens on. Nobody else reaches the loopback address; another one
    needs keys or an issuer of tokens."""

    server_port: int = number(8000, "port", within=(0, 65535))
    """Port that the server listens on; 0 takes any free one. It is the usual port of such
    servers."""

    server_allowed_hosts: Names = setting(
        (),
        "host names with commas between, without port",
        shown_default="`localhost`, `127.0.0.1`, `::1` and `SERVER_HOST`",
    )
    """Names in `Host` under which the server answers, besides its own. A page of another site could
    point a name of its own at this machine."""

    server_allowed_origins: Names = setting(
        (), "origins with commas between, e.g. https://chat.example.com"
    )
    """Other web sites whose pages may call the server. Pages in a browser would act with what the
    browser's owner may."""

    server_requests_per_minute: int = number(600, "requests", within=(1, 1_000_000))
    """Requests that one principal may make in a minute, of any kind. A page that shows documents
    makes some ten at once."""

    server_questions_per_minute: int = number(120, "requests", within=(1, 1_000_000))
    """Searches and questions that one principal may ask in a minute. A person asks a few; a program
    that asks more is told when to go on."""

    server_questions_per_principal: int = number(4, "requests", within=(1, 10_000))
    """Searches and questions of one principal that are answered or wait at the same time. Nobody
    takes all places."""

    server_questions_at_once: int = number(8, "requests", within=(1, 1000))
    """Searches and questions that are answered at the same time. Two processors have enough to do
    with them, and a language model seldom takes more."""

    server_questions_waiting: int = number(6, "requests", within=(0, 10_000))
    """Searches and questions that wait for a place; more are told to try again. Who waits behind
    more than that waits longer than an answer takes."""

    server_waiting_seconds: float = number(20.0, "seconds", within=(0, 600))
    """How long a search or question waits for a place. Readers have gone by then."""

    server_answer_seconds: float = number(300.0, "seconds", within=(1, 3600))
    """How long one answer may take, from its place to its end. A small model on a processor needs
    a minute or two."""

    server_shutdown_seconds: float = number(5.0, "seconds", within=(0, 600))
    """How long answers that are being made may go on when the server is told to stop. Then their
    readers are told."""
