"""Hide missing documents before they are erased, and tell how sources are watched."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.add_column("documents", sa.Column("missing_since", sa.String(), nullable=True))
    op.add_column("documents", sa.Column("held_until", sa.String(), nullable=True))
    op.add_column("sources", sa.Column("watch_mode", sa.String(), nullable=True))
    op.add_column("sources", sa.Column("watch_reason", sa.Text(), nullable=True))
    op.add_column("sources", sa.Column("deletions_confirmed_at", sa.String(), nullable=True))
