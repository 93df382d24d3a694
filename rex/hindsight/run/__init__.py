"""The script's process, recording or replaying: running loops, roots of the state, files, and coming to a border."""
