"""Frames that share memory by copy-on-write keep doing so, and stay independent."""

from __future__ import annotations

import pytest

pytest.importorskip("cloudpickle")
pandas = pytest.importorskip("pandas")

from .sessions import Session  # noqa: E402


@pytest.mark.parametrize("rows", [5, 20000])
def test_frames_that_share_memory_do_not_write_into_each_other(rows: int) -> None:
    session = Session(check_loads=False)
    session.run(f"import pandas as pd\ndf = pd.DataFrame({{'a': range({rows}), 'b': 'x'}})\n"
                "part = df[['a']]\nother = df[:]\nindex = pd.Index(df['a'])")
    before = {name: session[name].copy() for name in ("df", "part", "other")}
    session.run("df = part = other = index = None")
    session.checkout(1)
    for name, frame in before.items():
        pandas.testing.assert_frame_equal(session[name], frame)
    session.run("df.iloc[0, 0] = 77")
    assert session["part"].iloc[0, 0] == 0 == session["other"].iloc[0, 0] == session["index"][0]


def test_an_in_place_change_is_found_and_undone() -> None:
    session = Session(check_loads=False)
    session.run("import pandas as pd\ndf = pd.DataFrame({'a': range(300000)})\nrest = df[5:]")
    assert "df" in session.changed("df.loc[3, 'a'] = -1")
    assert session.changed("df.a.sum()") == set()
    frame = session["df"]
    session.checkout(1)
    assert session["df"].loc[3, "a"] == 3 and frame is not None
