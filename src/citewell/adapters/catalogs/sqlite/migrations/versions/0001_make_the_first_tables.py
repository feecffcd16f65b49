"""Make the first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "facts",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )
    op.create_table(
        "index_outbox",
        sa.Column("sequence", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("chunk_key", sa.Integer(), nullable=False),
        sa.Column("document_key", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_index_outbox")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("root", sa.String(), nullable=False),
        sa.Column("tier", sa.String(), nullable=True),
        sa.Column("folder_per_tier", sa.Boolean(), nullable=False),
        sa.Column("scan_interval_s", sa.Integer(), nullable=False),
        sa.Column("include", sa.JSON(), nullable=False),
        sa.Column("exclude", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), server_default="new", nullable=False),
        sa.Column("state_reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("name", name=op.f("uq_sources_name")),
        sa.UniqueConstraint("root", name=op.f("uq_sources_root")),
    )
    op.create_table(
        "term_frequencies",
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("term", sa.BigInteger(), nullable=False),
        sa.Column("n_chunks", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tier", "term", name=op.f("pk_term_frequencies")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tier_statistics",
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("n_chunks", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tier", name=op.f("pk_tier_statistics")),
    )
    op.create_table(
        "documents",
        sa.Column("key", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("parent_key", sa.Integer(), nullable=True),
        sa.Column("relative_path", sa.Text(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("is_live", sa.Boolean(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("modified_ns", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.Column("recipe", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("n_pages", sa.Integer(), nullable=True),
        sa.Column("frontmatter", sa.JSON(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("links", sa.JSON(), nullable=False),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("failure", sa.JSON(), nullable=True),
        sa.Column("indexed_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_key"],
            ["documents.key"],
            name=op.f("fk_documents_parent_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_documents_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_documents")),
        sa.UniqueConstraint("id", name=op.f("uq_documents_id")),
        sa.UniqueConstraint(
            "source_id", "relative_path", name=op.f("uq_documents_source_id_relative_path")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_documents_content_sha256"), "documents", ["content_sha256"], unique=False
    )
    op.create_index(op.f("ix_documents_parent_key"), "documents", ["parent_key"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("trigger", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("finished_at", sa.String(), nullable=True),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_runs_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(
        op.f("ix_runs_source_id_started_at"), "runs", ["source_id", "started_at"], unique=False
    )
    op.create_table(
        "chunks",
        sa.Column("key", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("document_key", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("header_start", sa.Integer(), nullable=True),
        sa.Column("header_end", sa.Integer(), nullable=True),
        sa.Column("n_tokens", sa.Integer(), nullable=False),
        sa.Column("page_start", sa.Integer(), nullable=True),
        sa.Column("page_end", sa.Integer(), nullable=True),
        sa.Column("paragraph_start", sa.Integer(), nullable=True),
        sa.Column("paragraph_end", sa.Integer(), nullable=True),
        sa.Column("page_breaks", sa.JSON(), nullable=False),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_key"],
            ["documents.key"],
            name=op.f("fk_chunks_document_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_chunks")),
        sa.UniqueConstraint("document_key", "id", name=op.f("uq_chunks_document_key_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_chunks_id"), "chunks", ["id"], unique=False)
    op.create_table(
        "chunk_terms",
        sa.Column("chunk_key", sa.Integer(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_key"], ["chunks.key"], name=op.f("fk_chunk_terms_chunk_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("chunk_key", name=op.f("pk_chunk_terms")),
    )
    op.create_table(
        "pending_vectors",
        sa.Column("chunk_key", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_key"],
            ["chunks.key"],
            name=op.f("fk_pending_vectors_chunk_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("chunk_key", name=op.f("pk_pending_vectors")),
    )
