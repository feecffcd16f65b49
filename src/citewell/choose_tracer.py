"""Composition root of traces: where the settings want them sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.ports.tracer import UNTOLD

if TYPE_CHECKING:
    from citewell.ports.tracer import Tracer
    from citewell.settings import Settings


def choose_tracer(settings: Settings) -> Tracer:
    """Return what sends traces to the endpoint of the settings; without one nothing is loaded."""
    if settings.otel_exporter_otlp_endpoint is None:
        return UNTOLD
    from importlib.metadata import version

    from citewell.adapters.traces.otel_tracer import OtelTracer

    headers = settings.otel_exporter_otlp_headers
    return OtelTracer(
        settings.otel_exporter_otlp_endpoint,
        headers=_headers(headers.get_secret_value()) if headers else {},
        version=version("citewell"),
    )


def _headers(listed: str) -> dict[str, str]:
    """Return the headers of `name=value` with commas between."""
    pairs = [pair.partition("=") for pair in listed.split(",") if pair.strip()]
    return {name.strip().lower(): value.strip() for name, _, value in pairs}
