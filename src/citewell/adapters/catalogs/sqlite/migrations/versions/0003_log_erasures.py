"""Log what must be erased."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "erasures",
        sa.Column("key", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("path_hash", sa.String(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("erased_at", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_erasures")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_erasures_path_hash"), "erasures", ["path_hash"], unique=False)
    op.create_index(op.f("ix_erasures_erased_at"), "erasures", ["erased_at"], unique=False)
    op.create_table(
        "erasure_texts",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("erasure_key", sa.Integer(), nullable=False),
        sa.Column("chunk_key", sa.Integer(), nullable=False),
        sa.Column("text_sha", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["erasure_key"],
            ["erasures.key"],
            name=op.f("fk_erasure_texts_erasure_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_erasure_texts")),
    )
    op.create_index(
        op.f("ix_erasure_texts_erasure_key"), "erasure_texts", ["erasure_key"], unique=False
    )
    op.create_index(op.f("ix_erasure_texts_text_sha"), "erasure_texts", ["text_sha"], unique=False)
    op.create_index(op.f("ix_documents_title"), "documents", ["title"], unique=False)
    # What was deleted before it was logged has left traces in the index of any tier.
    op.execute(
        "INSERT INTO erasures"
        " (kind, source_id, document_id, path_hash, generation, tier, at)"
        " SELECT DISTINCT 'orphaned', '', '', '', 0, tier, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
        " FROM documents"
    )
