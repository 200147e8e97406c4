"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "cases",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("examiner", sa.String(120), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("demo", sa.Boolean(), nullable=False),
        sa.Column("created", TIME, nullable=False),
    )
    op.create_table(
        "exhibits",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "case_id", sa.Integer(), sa.ForeignKey("cases.id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("number", sa.String(60), nullable=False),
        sa.Column("name", sa.String(400), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False, index=True),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("known", sa.String(200), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("created", TIME, nullable=False),
    )
    op.create_table(
        "pages",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "exhibit_id",
            sa.Integer(),
            sa.ForeignKey("exhibits.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("image", sa.String(64), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("computed", sa.JSON(), nullable=True),
        sa.Column("corrected", sa.JSON(), nullable=True),
        sa.Column("run", sa.JSON(), nullable=True),
        sa.UniqueConstraint("exhibit_id", "number"),
    )
    op.create_table(
        "corrections",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "page_id", sa.Integer(), sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("examiner", sa.String(120), nullable=False),
        sa.Column("change", sa.JSON(), nullable=False),
        sa.Column("made", TIME, nullable=False),
        sa.Column("undone", TIME, nullable=True),
    )
    op.create_table(
        "opinions",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "page_id", sa.Integer(), sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("examiner", sa.String(120), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("conclusion", sa.Text(), nullable=False),
        sa.Column("submitted", TIME, nullable=True),
        sa.UniqueConstraint("page_id", "examiner"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "case_id", sa.Integer(), sa.ForeignKey("cases.id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False, index=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("created", TIME, nullable=False),
        sa.Column("finished", TIME, nullable=True),
    )
    op.create_table(
        "log",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("case_id", sa.Integer(), nullable=True, index=True),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("examiner", sa.String(120), nullable=False),
        sa.Column("action", sa.String(60), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
    )


def downgrade() -> None:
    """Remove all tables."""
    for table in ("log", "jobs", "opinions", "corrections", "pages", "exhibits", "cases"):
        op.drop_table(table)
