"""Things a study can run."""
