"""alembic's entry point: migrate over the connection that the server opened."""

from __future__ import annotations

from alembic import context

from handshift.web.tables import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
