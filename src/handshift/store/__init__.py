"""The pages and hands of an archive as vectors: index, search, clusters."""
