"""Live objects as plain data and back: the shapes of objects, their memory, and restoring in place."""
