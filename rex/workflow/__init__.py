"""What to persist and in which order to run, when failures wipe everything else."""
