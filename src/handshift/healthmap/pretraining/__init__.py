"""A small encoder learns what maps look like, from drawn maps and without labels."""
