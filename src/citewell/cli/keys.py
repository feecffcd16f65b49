"""`rag keys`: keys for programs and people who are not at this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.domain.api_key import ApiKey

app = typer.Typer(help="Make, list or revoke API keys.", no_args_is_help=True)


@app.command("create")
def create(
    name: Annotated[str, typer.Option(help="What the key is called; no two share a name.")],
    tier: Annotated[str, typer.Option(help="The highest tier that it reads.")],
    expires: Annotated[
        str, typer.Option(metavar="TIME", help="E.g. 12h, 90d or 8w, or `never`.")
    ] = "90d",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="ask (default), sync or admin: what it may do; may be repeated."),
    ] = None,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Make a key and show it, this once: only its digest is kept."""
    from datetime import UTC, datetime

    from citewell.access.issue_key import KeyRequest, issue_key
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.session import opened
    from citewell.replies import key_reply

    request = KeyRequest(name=name, tier=tier, scopes=scope or ("ask",), lifetime=expires)
    with opened(data_dir, env_file, access="read") as parts:
        now = datetime.now(UTC)
        new = issue_key(request, tiers=parts.settings.access_tiers, now=now)
        parts.catalog.keys.add(new.stored)
    key = new.stored.key
    if as_json:
        print_json({"key": new.text, **key_reply(key, now=now)})
        return
    until = f"until {key.expires_at}" if key.expires_at else "for ever"
    console(stderr=True).print(
        f"{escaped(key.name)} reads as {key.tier} and may {', '.join(key.scopes)}, {until}."
        " This is its key; it is not shown again:"
    )
    print(new.text)


@app.command("list")
def list_keys(
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """List all keys, the newest first; the keys themselves are not known."""
    from datetime import UTC, datetime

    from citewell.cli.output import console, print_json
    from citewell.cli.session import opened
    from citewell.replies import key_reply

    with opened(data_dir, env_file, access="read") as parts:
        listed = parts.catalog.keys.list_keys()
    now = datetime.now(UTC)
    if as_json:
        print_json({"keys": [key_reply(key, now=now) for key in listed]})
        return
    out = console()
    for key in listed:
        out.print(_line(key, state=key_reply(key, now=now)["state"]))
    if not listed:
        out.print("no key yet: run `rag keys create --name NAME --tier TIER`")


@app.command("revoke")
def revoke(
    key: Annotated[str, typer.Argument(metavar="NAME", help="The key's name, or its prefix.")],
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Revoke a key: its next request is refused, and its open streams end."""
    from datetime import UTC, datetime

    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.session import opened
    from citewell.domain.errors import NotFoundError
    from citewell.replies import key_reply

    with opened(data_dir, env_file, access="read") as parts:
        revoked = parts.catalog.keys.revoke(key)
    if revoked is None:
        raise NotFoundError(f"there is no key {key!r}: `rag keys list` lists all")
    if as_json:
        print_json(key_reply(revoked, now=datetime.now(UTC)))
    else:
        console().print(f"revoked {escaped(revoked.name)} (cw_{revoked.prefix}…)")


def _line(key: ApiKey, *, state: str) -> str:
    """Return how a key stands, as markup on one line."""
    from citewell.cli.output import escaped

    until = f", expires {key.expires_at}" if key.expires_at else ", never expires"
    used = f", last used on {key.last_used_on}" if key.last_used_on else ", not used yet"
    return (
        f"[bold]{escaped(key.name)}[/] (cw_{key.prefix}…, {state}): {key.tier},"
        f" {', '.join(key.scopes)}{until}{used}"
    )
