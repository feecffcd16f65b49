"""`rag mcp`: tools for an assistant that starts this command."""

from __future__ import annotations

from citewell.cli import options


def mcp(
    as_tier: options.AsTier = None,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Offer search and ask as tools of MCP, over standard input and output.

    An assistant starts it; it reads as the owner of the data folder, or as `--as`.
    """
    import asyncio

    from citewell.access.callers import owner_of
    from citewell.access.clearance import clearance_of
    from citewell.bootstrap import open_citewell
    from citewell.load_settings import load_settings
    from citewell.server.mcp.stdio import serve_tools

    settings = load_settings({"data_dir": data_dir}, env_file=env_file)
    tiers = settings.access_tiers
    readable = clearance_of(owner_of(tiers), tiers=tiers, narrowed_to=as_tier).tiers
    principal = owner_of(readable)
    asyncio.run(
        serve_tools(lambda: open_citewell(settings, access="search", command="rag mcp"), principal)
    )
