"""The catalog on SQLite, through SQLAlchemy Core."""
