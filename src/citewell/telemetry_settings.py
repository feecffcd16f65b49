"""Settings of traces and logs."""

from __future__ import annotations

from typing import Literal

from pydantic import SecretStr

from citewell.setting_fields import SettingGroup, setting


class TelemetrySettings(SettingGroup):
    """Where traces are sent, and what is logged."""

    otel_exporter_otlp_endpoint: str | None = setting(
        None, "an http or https URL, without /v1/traces"
    )
    """Where traces are sent, by OTLP over HTTP; unset: nowhere. The name is that of
    OpenTelemetry; nothing leaves the machine unless someone says where to."""

    otel_exporter_otlp_headers: SecretStr | None = setting(None, "name=value, with commas between")
    """Headers that are sent with traces, such as a key. Receivers on one's own machine want
    none."""

    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info", "debug, info, warning or error"
    )
    """What the server logs, at least; one line for each question and sync is `info`. Texts of
    questions and documents are in no level."""
