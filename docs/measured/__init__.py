"""Tables of measured figures for the documents, one module per subject."""
