"""Simulation of a planetary gearbox: health maps and vibration signals."""
