"""Live Python state: co-variables, what a cell changed, capture and restore (docs/state.md)."""

from rex.state.records import content_to_json
from rex.state.restore import Restored, checkout, forbid_effects, run_plainly, values_at
from rex.state.store import Store, load_history
from rex.state.tracker import StateTracker
from rex.state.versions import Chunk, Delta, History, Part, Version, path_up

__all__ = ["Chunk", "Delta", "History", "Part", "Restored", "StateTracker", "Store", "Version",
           "checkout", "content_to_json", "forbid_effects", "load_history", "path_up", "run_plainly", "values_at"]
