"""Several trainings become one network: each makes its own mistakes, and together they make fewer."""
