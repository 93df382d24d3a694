"""What a run's log holds, and what every part of hindsight logging needs: lines, clock, output, the running session."""
