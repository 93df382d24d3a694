"""Hindsight logging: log statements added after a training run (docs/hindsight.md)."""
