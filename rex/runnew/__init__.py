"""New experiments: an archived one, with changes, run live on what the archive holds.

`plan_run` refuses all conflicts before anything runs, `start` runs the plan, and
`Run.wait` says what came of it. Paths, arguments and variables are text as
`codec.text` makes it, as in manifests.
"""

from rex.runnew.changes import Changes
from rex.runnew.plan import RunPlan, Source, plan_run
from rex.runnew.run import LiveUse, Run, RunOutcome, start

__all__ = ["Changes", "LiveUse", "Run", "RunOutcome", "RunPlan", "Source", "plan_run", "start"]
