"""Rex records software experiments, replays them anywhere, and shows what differs."""

__version__ = "0.1.0"
