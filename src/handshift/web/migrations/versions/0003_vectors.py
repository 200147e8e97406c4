"""Vectors of a page's words."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; pages examined before have none and are embedded anew when corrected."""
    op.add_column("pages", sa.Column("vectors", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Remove the column."""
    with op.batch_alter_table("pages") as table:
        table.drop_column("vectors")
