"""Machines and their files, jobs of a case or of a machine, and summaries of pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables of machines."""
    op.create_table(
        "machines",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("gear", sa.JSON(), nullable=False),
        sa.Column("reference", sa.JSON(), nullable=True),
        sa.Column("demo", sa.Boolean(), nullable=False),
        sa.Column("created", TIME, nullable=False),
    )
    op.create_table(
        "machine_files",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "machine_id",
            sa.Integer(),
            sa.ForeignKey("machines.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("name", sa.String(400), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("normal", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("record", sa.JSON(), nullable=True),
        sa.Column("created", TIME, nullable=False),
    )
    op.add_column("pages", sa.Column("summary", sa.JSON(), nullable=True))
    with op.batch_alter_table("jobs") as table:
        table.alter_column("case_id", existing_type=sa.Integer(), nullable=True)
        table.add_column(sa.Column("machine_id", sa.Integer(), nullable=True))
        table.create_foreign_key("fk_jobs_machine", "machines", ["machine_id"], ["id"], ondelete="CASCADE")
        table.create_index("ix_jobs_machine_id", ["machine_id"])


def downgrade() -> None:
    """Remove the tables of machines, and the jobs that belong to one."""
    op.execute("DELETE FROM jobs WHERE case_id IS NULL")
    with op.batch_alter_table("jobs") as table:
        table.drop_index("ix_jobs_machine_id")
        table.drop_constraint("fk_jobs_machine", type_="foreignkey")
        table.drop_column("machine_id")
        table.alter_column("case_id", existing_type=sa.Integer(), nullable=False)
    with op.batch_alter_table("pages") as table:
        table.drop_column("summary")
    op.drop_table("machine_files")
    op.drop_table("machines")
