"""The version of Rex."""

__version__ = "0.1.0"
