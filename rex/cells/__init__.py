"""Programs as cells: cutting them, running them one by one, forking between them (docs/versions.md).

`runner.py` and `split.py` run inside recorded experiments and need nothing of Rex.
"""
