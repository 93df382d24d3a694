"""Runs of any program compared step by step: what they share, what they replay once, what a new run need not do again."""
