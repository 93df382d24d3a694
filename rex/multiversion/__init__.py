"""Many versions replayed together: execution trees, replay sequences, planners."""
