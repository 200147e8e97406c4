"""Condition monitoring: score maps as they arrive, with an alarm and a change point."""
