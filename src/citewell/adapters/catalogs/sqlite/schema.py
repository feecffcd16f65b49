"""The tables of the catalog; migrations must add up to exactly this."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

facts = Table(
    "facts",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Facts about this catalog: its secret for keyed hashes, and the id that its projections carry."""

sources = Table(
    "sources",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("type", String, nullable=False),
    Column("root", String, nullable=False, unique=True),
    Column("tier", String),
    Column("folder_per_tier", Boolean, nullable=False),
    Column("scan_interval_s", Integer, nullable=False),
    Column("include", JSON, nullable=False),
    Column("exclude", JSON, nullable=False),
    Column("state", String, nullable=False, server_default="new"),
    Column("state_reason", Text),
    Column("created_at", String, nullable=False),
    Column("watch_mode", String),
    Column("watch_reason", Text),
    Column("deletions_confirmed_at", String),
)

documents = Table(
    "documents",
    metadata,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("source_id", String, ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
    Column("parent_key", Integer, ForeignKey("documents.key", ondelete="CASCADE")),
    Column("relative_path", Text, nullable=False),
    Column("tier", String, nullable=False),
    Column("is_live", Boolean, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("type", String, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("modified_ns", BigInteger, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("content_sha256", String, nullable=False),
    Column("recipe", String, nullable=False),
    Column("version", String, nullable=False),
    Column("n_pages", Integer),
    Column("frontmatter", JSON, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("links", JSON, nullable=False),
    Column("notes", JSON, nullable=False),
    Column("failure", JSON),
    Column("indexed_at", String, nullable=False),
    Column("missing_since", String),
    Column("held_until", String),
    UniqueConstraint("source_id", "relative_path"),
    Index(None, "parent_key"),
    Index(None, "content_sha256"),
    Index(None, "title"),
    sqlite_autoincrement=True,
)
"""A chunk is part of the current version when its generation is the document's.

A document with `missing_since` is hidden: not live, out of the statistics, but nothing of it is
erased. With `held_until` it is one of too many that went at once.
"""

chunks = Table(
    "chunks",
    metadata,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False),
    Column(
        "document_key", Integer, ForeignKey("documents.key", ondelete="CASCADE"), nullable=False
    ),
    Column("generation", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("span_start", Integer, nullable=False),
    Column("span_end", Integer, nullable=False),
    Column("header_start", Integer),
    Column("header_end", Integer),
    Column("n_tokens", Integer, nullable=False),
    Column("page_start", Integer),
    Column("page_end", Integer),
    Column("paragraph_start", Integer),
    Column("paragraph_end", Integer),
    Column("page_breaks", JSON, nullable=False),
    Column("heading_path", JSON, nullable=False),
    Column("content", Text, nullable=False),
    UniqueConstraint("document_key", "id"),
    Index(None, "id"),
    sqlite_autoincrement=True,
)

chunk_terms = Table(
    "chunk_terms",
    metadata,
    Column("chunk_key", Integer, ForeignKey("chunks.key", ondelete="CASCADE"), primary_key=True),
    Column("terms", LargeBinary, nullable=False),
)
"""Hashed terms of a chunk as little-endian uint32: what its deletion takes from the statistics."""

term_frequencies = Table(
    "term_frequencies",
    metadata,
    Column("tier", String, primary_key=True),
    Column("term", BigInteger, primary_key=True),
    Column("n_chunks", Integer, nullable=False),
    sqlite_with_rowid=False,
)

tier_statistics = Table(
    "tier_statistics",
    metadata,
    Column("tier", String, primary_key=True),
    Column("n_chunks", Integer, nullable=False),
)

pending_vectors = Table(
    "pending_vectors",
    metadata,
    Column("chunk_key", Integer, ForeignKey("chunks.key", ondelete="CASCADE"), primary_key=True),
)
"""Live chunks that have no vector yet; highest key first is newest first."""

index_outbox = Table(
    "index_outbox",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=True),
    Column("operation", String, nullable=False),
    Column("tier", String, nullable=False),
    Column("chunk_key", Integer, nullable=False),
    Column("document_key", Integer, nullable=False),
    sqlite_autoincrement=True,
)
"""Writes to the index that are not known to be durable; replayed after a crash."""

runs = Table(
    "runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("source_id", String, ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
    Column("trigger", String, nullable=False),
    Column("state", String, nullable=False),
    Column("started_at", String, nullable=False),
    Column("finished_at", String),
    Column("counts", JSON, nullable=False),
    Column("error", Text),
    Index(None, "source_id", "started_at"),
)

erasures = Table(
    "erasures",
    metadata,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    Column("source_id", String, nullable=False),
    Column("document_id", String, nullable=False),
    Column("path_hash", String, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("tier", String, nullable=False),
    Column("at", String, nullable=False),
    Column("erased_at", String),
    Index(None, "path_hash"),
    Index(None, "erased_at"),
    sqlite_autoincrement=True,
)
"""What went and when; it outlives documents and sources, so it refers to neither by a foreign key.
The hash of the path is keyed with the catalog's secret."""

erasure_texts = Table(
    "erasure_texts",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("erasure_key", Integer, ForeignKey("erasures.key", ondelete="CASCADE"), nullable=False),
    Column("chunk_key", Integer, nullable=False),
    Column("text_sha", LargeBinary),
    Index(None, "erasure_key"),
    Index(None, "text_sha"),
)
"""Chunks that went, and the names of their texts in the embedding cache (none where a live document
has the same text); kept until the projections have erased them."""

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String, primary_key=True),
    Column("prefix", String, nullable=False, unique=True),
    Column("digest", LargeBinary, nullable=False),
    Column("name", String, nullable=False),
    Column("tier", String, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("created_at", String, nullable=False),
    Column("expires_at", String),
    Column("revoked_at", String),
    Column("last_used_on", String),
)
"""Keys that were given out, without their secrets. Revoked ones stay, so that they are listed."""
