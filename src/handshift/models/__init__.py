"""Shipped weights, each with its card."""
