"""From vibration to maps: the shaft's angle, the signal over angle, and what is left of it tooth by tooth."""
