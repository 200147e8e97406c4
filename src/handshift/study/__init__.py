"""Seeds × variants → tables, tests of significance, figures."""
