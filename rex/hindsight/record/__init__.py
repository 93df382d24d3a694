"""Recording a run: its process, borders, checkpoints and their writer."""
