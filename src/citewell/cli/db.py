"""`rag db`: the catalog's schema."""

from __future__ import annotations

import typer

from citewell.cli import options

app = typer.Typer(help="Make or upgrade the catalog's schema.", no_args_is_help=True)


@app.command("init")
def init(
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Make the schema, or bring it to the version of this program."""
    from citewell.cli.output import console, escaped, print_json
    from citewell.load_settings import load_settings
    from citewell.upkeep import migrate_catalog

    settings = load_settings({"data_dir": data_dir}, env_file=env_file)
    revision = migrate_catalog(settings)
    if as_json:
        print_json({"catalog": str(settings.catalog_path), "schema": revision})
    else:
        console().print(f"{escaped(str(settings.catalog_path))} has schema {revision}")
