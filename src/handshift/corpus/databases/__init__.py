"""Every database of handwriting in one form: records, readers, writer splits."""
