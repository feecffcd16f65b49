"""How requests are read from connections; what is no request at all gets our error shape too."""

from __future__ import annotations

import json
import secrets

from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

from citewell.domain.errors import UsageError
from citewell.server.errors import error_body


class OneShapeProtocol(H11Protocol):
    """HTTP/1.1, with an error of ours for bytes that cannot be read, or a head that is too long."""

    @override
    def send_400_response(self, msg: str) -> None:
        cycle = getattr(self, "cycle", None)  # none before the first request
        if cycle is None or cycle.response_complete:
            request_id = secrets.token_hex(16)
            body = json.dumps(error_body(UsageError(msg), request_id=request_id)).encode()
            head = (
                "HTTP/1.1 400 Bad Request\r\n"
                "content-type: application/json\r\n"
                f"content-length: {len(body)}\r\n"
                f"x-request-id: {request_id}\r\n"
                "connection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.transport.close()
