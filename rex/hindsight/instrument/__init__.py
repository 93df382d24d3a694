"""The user's source and libraries' training loops, rewritten so that loops report where they are."""
