"""Traces in the form of OpenTelemetry, sent by OTLP over HTTP."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from typing_extensions import override

from citewell.ports.tracer import Attributes, Span, Tracer

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import Tracer as OtelSdkTracer

_QUEUED_SPANS = 8_192
_EXPORT_S = 5
_REMEMBERED_SOURCES = 1_000


class OtelTracer(Tracer):
    """Sends spans in the background; what cannot be sent in time is dropped and logged."""

    def __init__(self, endpoint: str, *, headers: Mapping[str, str], version: str) -> None:
        """Take where to.

        Args:
            endpoint: Base URL of the receiver, without `/v1/traces`.
            headers: Sent with every export, e.g. a key.
            version: Of this software.
        """
        from opentelemetry.exporter.otlp.proto.http import Compression
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        exporter = OTLPSpanExporter(
            endpoint=f"{endpoint.rstrip('/')}/v1/traces",
            headers=dict(headers),
            timeout=_EXPORT_S,
            compression=Compression.Gzip,
        )
        # Resource.create would add what it reads from the environment and the command line.
        resource = Resource({"service.name": "citewell", "service.version": version})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        processor = BatchSpanProcessor(exporter, max_queue_size=_QUEUED_SPANS)
        self._provider.add_span_processor(processor)
        self._tracer: OtelSdkTracer = self._provider.get_tracer("citewell", version)
        self._syncs: OrderedDict[str, OtelSpan] = OrderedDict()

    @override
    def begin(
        self,
        name: str,
        *,
        attributes: Attributes | None = None,
        began_ago_s: float = 0.0,
        source_id: str = "",
    ) -> Span:
        span = _started(self._tracer, None, name, attributes, began_ago_s=began_ago_s)
        if source_id:
            self._syncs[source_id] = span
            if len(self._syncs) > _REMEMBERED_SOURCES:
                self._syncs.popitem(last=False)
        return _OtelSpan(self._tracer, span)

    @override
    def join(self, source_id: str, name: str, *, attributes: Attributes | None = None) -> Span:
        parent = self._syncs.get(source_id)
        return _OtelSpan(self._tracer, _started(self._tracer, parent, name, attributes))

    @override
    def close(self) -> None:
        self._provider.shutdown()


class _OtelSpan(Span):
    def __init__(self, tracer: OtelSdkTracer, span: OtelSpan) -> None:
        self._tracer = tracer
        self._span = span

    @override
    def begin(
        self, name: str, *, attributes: Attributes | None = None, began_ago_s: float = 0.0
    ) -> Span:
        part = _started(self._tracer, self._span, name, attributes, began_ago_s=began_ago_s)
        return _OtelSpan(self._tracer, part)

    @override
    def end(
        self,
        *,
        attributes: Attributes | None = None,
        error: str | None = None,
        ended_ago_s: float = 0.0,
    ) -> None:
        from opentelemetry.trace import StatusCode

        self._span.set_attributes(dict(attributes or {}))
        if error is not None:
            self._span.set_attribute("error.type", error)
            self._span.set_status(StatusCode.ERROR)
        self._span.end(_nanoseconds_ago(ended_ago_s))


def _started(
    tracer: OtelSdkTracer,
    parent: OtelSpan | None,
    name: str,
    attributes: Attributes | None,
    *,
    began_ago_s: float = 0.0,
) -> OtelSpan:
    from opentelemetry.trace import SpanKind

    calls_a_model = "gen_ai.request.model" in (attributes or {})
    return tracer.start_span(
        name,
        context=_context(parent),
        kind=SpanKind.CLIENT if calls_a_model else SpanKind.INTERNAL,
        attributes=dict(attributes or {}),
        start_time=_nanoseconds_ago(began_ago_s),
    )


def _context(parent: OtelSpan | None) -> Context:
    """Return a context of its own: that of the caller may belong to something else."""
    from opentelemetry.context import Context
    from opentelemetry.trace import set_span_in_context

    return Context() if parent is None else set_span_in_context(parent, Context())


def _nanoseconds_ago(seconds: float) -> int:
    return time.time_ns() - int(seconds * 1e9)
