"""`rag serve`: answer over HTTP, and follow the sources while they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.ports.authenticator import Authenticator
    from citewell.settings import Settings


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; default: this machine alone.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = None,
    sync: Annotated[bool, typer.Option(help="Follow the sources while they change.")] = True,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Answer over HTTP and follow the sources, until it is stopped (Ctrl-C, SIGTERM)."""
    from citewell.cli.declared_sources import register_declared
    from citewell.cli.session import opened
    from citewell.identify_callers import make_authenticator, sharing_local_token
    from citewell.server.run import run_server
    from citewell.server.serve import is_loopback

    given = {"server_host": host, "server_port": port}
    with opened(data_dir, env_file, overrides=given) as parts:
        settings = parts.settings
        with sharing_local_token(settings) as local_token:
            authenticator = make_authenticator(
                settings,
                parts.catalog,
                is_loopback=is_loopback(settings.server_host),
                local_token=local_token,
            )
            _check_address(settings, authenticator)
            register_declared(parts)
            run_server(
                parts,
                authenticator,
                is_syncing=sync,
                begun=lambda url: _tell(url, as_json=as_json),
            )


def _check_address(settings: Settings, authenticator: Authenticator) -> None:
    """Refuse to listen to others while nobody can show who they are."""
    from citewell.domain.errors import ConfigurationError
    from citewell.server.serve import is_loopback

    if is_loopback(settings.server_host) or authenticator.is_remote_allowed:
        return
    raise ConfigurationError(
        f"SERVER_HOST={settings.server_host} would let others in, and there is neither a key nor"
        " an issuer of tokens: run `rag keys create`, or listen on 127.0.0.1"
    )


def _tell(url: str, *, as_json: bool) -> None:
    """Say where the server is."""
    import sys

    from citewell.cli.output import console, escaped, print_json

    if as_json:
        print_json({"event": "serving", "url": url})
        sys.stdout.flush()
    else:
        console(stderr=True).print(f"serving on {escaped(url)}; Ctrl-C stops")
