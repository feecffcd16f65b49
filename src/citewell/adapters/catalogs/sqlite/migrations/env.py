"""Alembic's entry: runs migrations on the engine that the caller passes."""

from alembic import context

from citewell.adapters.catalogs.sqlite.schema import metadata

engine = context.config.attributes["engine"]
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=metadata)
    with context.begin_transaction():
        context.run_migrations()
