"""Many labelled pages."""
