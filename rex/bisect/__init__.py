"""Finds which difference between two experiments makes an output differ: by new runs with some of the differences applied."""
