"""Compares two contents by what they mean: numbers, tables, pixels, members."""
