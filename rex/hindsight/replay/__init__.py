"""Answering added statements: queries, plans, workers, what statements wrote, and what is kept of it."""
