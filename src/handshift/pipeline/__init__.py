"""The facade: examiner, hand finder, comparer and identifier, from files to results."""
