"""A receiver of OpenTelemetry traces (OTLP over HTTP), started by the test that looks into them."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from typing_extensions import override


class OtlpReceiver:
    """Keeps what was sent.

    Attributes:
        url: The endpoint, without `/v1/traces`.
        bodies: Every request, unpacked.
        headers: Names in lower case and values of the last request.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[bytes] = []
        self.headers: dict[str, str] = {}

    def requests(self) -> list[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for body in self.bodies]

    def spans(self) -> list[Span]:
        """Return all spans in the order of their begin."""
        spans = [
            span
            for request in self.requests()
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return sorted(spans, key=lambda span: (span.start_time_unix_nano, span.name))

    def paths(self) -> list[str]:
        """Return the names of each span and those above it, with slashes between, sorted."""
        by_id = {span.span_id: span for span in self.spans()}

        def path(span: Span) -> str:
            above = by_id.get(span.parent_span_id)
            return f"{path(above)}/{span.name}" if above is not None else span.name

        return sorted(path(span) for span in by_id.values())

    def traces(self) -> set[bytes]:
        return {span.trace_id for span in self.spans()}


def attributes_of(span: Span) -> dict[str, object]:
    """Return the attributes of a span."""
    return {
        item.key: getattr(item.value, str(item.value.WhichOneof("value")))
        for item in span.attributes
    }


@contextmanager
def receiving() -> Iterator[OtlpReceiver]:
    """Receive while it is entered."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            assert self.path == "/v1/traces"
            receiver.headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.bodies.append(body)
            reply = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = OtlpReceiver(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
