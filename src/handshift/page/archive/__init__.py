"""Sources that archives offer: IIIF, METS, zip and tar, URLs. Each becomes a list of local files."""
