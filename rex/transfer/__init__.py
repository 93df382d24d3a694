"""Carry experiments elsewhere: to remote stores, and into forms that need no Rex."""
