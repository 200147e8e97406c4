"""Pretraining of a small encoder on synthetic maps by masked image modelling."""
