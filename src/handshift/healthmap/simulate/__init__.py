"""A planetary gearbox that never was: its maps, and the vibration they are made of."""
