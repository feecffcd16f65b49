"""The application with a description that says how to show a credential."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from typing_extensions import override

from citewell.server.access_table import open_paths


class DescribedApi(FastAPI):
    """An application whose OpenAPI document tells which routes want a credential."""

    @override
    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        if self.openapi_schema is None:
            document = super().openapi()
            schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
            schemes["key"] = {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key or a token of the issuer; at the server's own machine"
                " none is needed as long as there are neither.",
            }
            document["security"] = [{"key": []}]
            for path in open_paths() & document["paths"].keys():
                for operation in document["paths"][path].values():
                    operation["security"] = []
            self.openapi_schema = document
        return self.openapi_schema
