"""Studies: variants × seeds → tables, tests of significance, figures, with provenance."""
