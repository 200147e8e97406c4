"""The same question asked of machines: which tooth of a gearbox does not belong."""
