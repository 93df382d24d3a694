"""Which borders get a checkpoint, and which checkpoints stay."""
