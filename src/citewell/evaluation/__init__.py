"""Datasets, measures, calibration and reports."""
