"""Two experiments in, their differences out: what, where, and with -d 2 which bytes."""
