"""The whole protocol run on pages of known writers: what a user may claim for their own collection."""
