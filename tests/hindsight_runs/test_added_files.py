"""Files that added statements write come out apart, each as the original run would have left it; the user's stay as they are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hindsight_harness import Case, rex

from rex.hindsight import load

np = pytest.importorskip("numpy", reason="numpy is not installed")

SOURCE = """
    import numpy as np
    rng = np.random.default_rng(5)
    model = np.zeros(30)
    for epoch in range(6):
        for step in range(8):
            model += rng.normal(size=30)
        print("epoch", epoch, model.sum())
    """
OUTER = "print("     # the line that statements are added behind


def has_private_view() -> bool:
    return subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not has_private_view(), reason="no user namespaces")


def replayed(tmp_path: Path, added: str, *words: str) -> tuple[Case, Path, str]:
    """Record, add statements behind the epoch's print, replay into `out`; where the case's files are below that."""
    case = Case(tmp_path / "case", train=SOURCE) if not (tmp_path / "case").mkdir() else None
    assert case is not None
    case.record()
    before = sorted(os.listdir(case.folder))
    case.add_after("train", OUTER, added)
    done = rex(case.folder, "replay", "-l", "EXP", "-o", str(tmp_path / "out"), *words)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(case.folder)) == before
    return case, Path(f"{tmp_path}/out{case.folder}"), done.stderr


REDIRECTED = """
    import contextlib, io
    import numpy as np
    rng = np.random.default_rng(5)
    model = np.zeros(30000)
    text = io.StringIO()
    for epoch in range(100):
        for step in range(8):
            model += rng.normal(size=30000)
        with contextlib.redirect_stdout(text):
            print("epoch", epoch, model.sum())
        if epoch == 5:
            break
    print(text.getvalue())
    """


def test_statements_where_output_is_redirected_print_and_save_for_themselves(tmp_path: Path) -> None:
    case = Case(tmp_path, train=REDIRECTED)
    case.record()
    assert "6 iterations" in case.summary     # the last one broke off
    case.add_after("train", "import numpy", "from rex import hindsight")
    case.add_after("train", 'print("epoch"', "print('probe', epoch); hindsight.save([epoch, model, model[:9]], 'model')")
    assert case.replay("-j", "2", "--epochs", "1,3:") == "".join(f"probe {epoch}\n" for epoch in (1, 3, 4, 5))
    assert "4 objects that added statements saved: rex.hindsight.load('EXP', 'model', 'exp1')" in case.told
    for epoch, model, part in load(str(tmp_path / "EXP"), "model", "exp1"):
        rng = np.random.default_rng(5)
        assert np.array_equal(model, sum((rng.normal(size=30000) for _ in range(8 * (epoch + 1))), np.zeros(30000)))
        assert np.shares_memory(model, part)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_one_file_per_epoch(tmp_path: Path, jobs: str) -> None:
    _, out, told = replayed(tmp_path, "np.save(f'model{epoch}.npy', model)", "-j", jobs)
    assert sorted(os.listdir(out)) == [f"model{epoch}.npy" for epoch in range(6)]
    assert f"6 files that added statements wrote: below {tmp_path}/out" in told


@pytest.mark.parametrize("jobs", ["1", "3"])
@pytest.mark.parametrize("added", ["open('norms.txt', 'a').write(f'{epoch}\\n')", "epoch or open('norms.txt', 'w'); "
                                   "open('norms.txt', 'a').write(f'{epoch}\\n')"])
def test_a_file_that_grows_has_all_epochs_once(tmp_path: Path, jobs: str, added: str) -> None:
    _, out, _ = replayed(tmp_path, added, "-j", jobs)
    assert (out / "norms.txt").read_text() == "".join(f"{epoch}\n" for epoch in range(6))


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_a_file_that_stays_open_has_what_was_not_flushed(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "case").mkdir()
    case = Case(tmp_path / "case", train=SOURCE)
    case.record()
    case.add_after("train", "import numpy", "kept = open('norms.txt', 'w')")
    case.add_after("train", OUTER, "kept.write(f'{epoch}\\n')")
    done = rex(case.folder, "replay", "-l", "EXP", "-j", jobs)
    assert done.returncode == 0, done.stderr
    found, = case.folder.glob("__out_exp1/**/norms.txt")
    assert found.read_text() == "".join(f"{epoch}\n" for epoch in range(6))


def test_the_users_file_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine\n")
    _, out, _ = replayed(tmp_path, "open('../notes.txt', 'a').write(f'{epoch}\\n')")
    assert (tmp_path / "notes.txt").read_text() == "mine\n"
    assert Path(f"{tmp_path}/out{tmp_path}/notes.txt").read_text() == "mine\n" + "".join(f"{n}\n" for n in range(6))


def test_epochs_that_nobody_asked_for_leave_nothing(tmp_path: Path) -> None:
    _, out, _ = replayed(tmp_path, "np.save(f'model{epoch}.npy', model)", "--epochs", "2:4")
    assert sorted(os.listdir(out)) == ["model2.npy", "model3.npy"]


def test_a_removal_is_named_and_not_done(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine\n")
    _, _, told = replayed(tmp_path, "import os; os.path.exists('../notes.txt') and os.remove('../notes.txt')")
    assert (tmp_path / "notes.txt").exists() and "removed" in told and "it is still there" in told


def test_a_library_that_only_an_added_statement_imports_is_no_difference(tmp_path: Path) -> None:
    _, out, told = replayed(tmp_path, "import decimal; open('sum.txt', 'a').write(f'{decimal.Decimal(epoch)}\\n')")
    assert (out / "sum.txt").read_text() == "".join(f"{n}\n" for n in range(6)) and "as recorded" in told


BOARDS = """
    import torch
    from torch.utils.tensorboard import SummaryWriter
    own = SummaryWriter("runs")
    value = 0.0
    for epoch in range(3):
        for step in range(5):
            value += epoch * step
        own.add_scalar("value", value, epoch)
        print("epoch", epoch, value)
    own.close()
    """


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """What the one file of events in a folder has, by tag."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    path, = folder.glob("events.out.tfevents.*")
    found: dict[str, list[tuple[int, float]]] = {}
    for event in EventFileLoader(str(path)).Load():
        for each in event.summary.value:
            found.setdefault(each.tag, []).append((event.step, each.tensor.float_val[0]))
    return found


def test_events_of_an_added_writer_come_out_apart_from_the_scripts(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    case = Case(tmp_path, train=BOARDS)
    case.record()
    before = scalars(tmp_path / "runs")
    case.add_after("train", "own = ", 'mine = SummaryWriter("added")')
    case.add_after("train", "print(", 'mine.add_scalar("double", value * 2, epoch)')
    case.replay("-o", "out")
    assert "1 file that added statements wrote" in case.told and "3 loops skipped" in case.told
    place = tmp_path / "out" / tmp_path.relative_to("/")
    assert scalars(place / "added") == {"double": [(0, 0.0), (1, 20.0), (2, 60.0)]}
    assert not (place / "runs").exists() and not (tmp_path / "added").exists() and scalars(tmp_path / "runs") == before
