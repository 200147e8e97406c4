"""What was measured, subject by subject, as the documents tell it."""
