"""Schema migrations of the workbench, run by alembic when the server starts."""
