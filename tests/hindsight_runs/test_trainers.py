"""Training loops of libraries: seen without a change of the script, skipped, and answered in callbacks."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from hindsight_harness import Case, python, rex

LIBRARY = """
    class Engine:
        def __init__(self):
            self.weight, self.history = 1.0, []
        def step(self):
            for _ in range(1000):
                self.weight = self.weight * 1.0001 + 0.001
        def measure(self):
            self.history.append(round(self.weight, 9))
        def fit(self, epochs, callback):
            for epoch in range(epochs):
                self.step()
                self.measure()
                callback(self, epoch)
            return self
    """
SCRIPT = """
    import sys
    from rex import hindsight
    sys.path.append({folder!r})
    hindsight.trainer("engine", "Engine.fit", trains=["self.step", "self.measure"])
    from engine import Engine
    seen = []
    def callback(engine, epoch):
        seen.append(engine.weight)
        print("epoch", epoch, round(sum(seen), 6))
    engine = Engine().fit(6, callback)
    print("end", engine.weight)
    """


def with_library(folder: Path, script: str = SCRIPT) -> Case:
    """A case whose training loop lies outside of the script's folder, as libraries do."""
    library, work = folder / "library", folder / "work"
    library.mkdir()
    work.mkdir()
    Case(library, engine=LIBRARY)
    return Case(work, train=script.replace("{folder!r}", repr(str(library))))


def test_a_statement_in_a_callback_is_answered_without_training(tmp_path: Path) -> None:
    case = with_library(tmp_path)
    plain = python(case.folder, "train.py")
    assert case.record() == plain and "6 iterations" in case.summary
    case.add_after("train", "seen.append", "print('probe', epoch, engine.history, seen[-1])")
    truth = case.truth()
    assert case.replay() == truth
    assert "6 loops skipped" in case.told
    assert case.replay("-j", "2") == truth
    assert case.replay("--epochs", "4") == truth.splitlines(True)[4]


ITERATING = """
    class Engine:
        def __init__(self):
            self.weight = 1.0
        def step(self, number):
            self.weight = self.weight * 1.01 + number
        def fit(self, epochs, callback):
            for epoch in range(epochs):
                self.run_epoch(epoch, callback)
            return self
        def run_epoch(self, epoch, callback):
            numbers = (2 * number for number in range(5))
            for _ in range(5):
                self.step(next(numbers))
            callback(self, epoch)
    """


@pytest.mark.parametrize("drops, skipped", [(["numbers"], "6 loops skipped"), ([], " 0 loops skipped")])
def test_an_iterator_that_the_library_is_done_with_is_no_state(tmp_path: Path, drops: list[str], skipped: str) -> None:
    case = with_library(tmp_path, SCRIPT.replace('"Engine.fit", trains=["self.step", "self.measure"]',
                                                 f'"Engine.fit", "Engine.run_epoch", drops={drops}'))
    Case(tmp_path / "library", engine=ITERATING)
    assert case.record() == python(case.folder, "train.py")
    case.add_after("train", "seen.append", "print('probe', epoch, seen[-1])")
    assert case.replay() == case.truth() and skipped in case.told


def test_what_a_library_computes_in_a_try_is_skipped_without_its_callbacks(tmp_path: Path) -> None:
    case = with_library(tmp_path, SCRIPT.replace('trains=["self.step", "self.measure"]', 'trains=["self.step"]'))
    Case(tmp_path / "library", engine=LIBRARY.replace(
        "                self.step()\n                self.measure()\n                callback(self, epoch)\n",
        "                try:\n                    self.step()\n                    callback(self, epoch)\n"
        "                finally:\n                    self.measure()\n"))
    case.record()
    case.add_after("train", "seen.append", "print('probe', epoch, seen[-1])")
    assert case.replay() == case.truth() and "6 loops skipped" in case.told


def test_a_block_in_a_function_that_has_other_loops(tmp_path: Path) -> None:
    case = with_library(tmp_path, SCRIPT.replace('"Engine.fit", trains=["self.step", "self.measure"]',
                                                 '"Engine.fit", "Engine.measure", trains=["self.step", "self.history.append"]'))
    Case(tmp_path / "library", engine=LIBRARY.replace("        def measure(self):\n", "        def measure(self):\n"
                                                      "            for each in self.history:\n                assert each\n"))
    assert case.record() == python(case.folder, "train.py")
    case.add_after("train", "seen.append", "print('probe', epoch, seen[-1])")
    assert case.replay() == case.truth() and "12 loops skipped" in case.told


def test_a_statement_behind_the_training_runs_none_of_it(tmp_path: Path) -> None:
    case = with_library(tmp_path)
    case.record()
    case.add_after("train", "engine = Engine", "print('probe', engine.history, seen)")
    assert case.replay() == case.truth()
    assert "state equal at 0 checkpoints" in case.told


def test_another_version_of_the_library_is_refused(tmp_path: Path) -> None:
    case = with_library(tmp_path)
    case.record()
    with (tmp_path / "library" / "engine.py").open("a") as file:
        file.write("# newer\n")
    case.add_after("train", "seen.append", "print('probe', epoch)")
    case.replay(status=2)
    assert "engine.py is not what it was when the run was recorded" in case.told


def test_a_library_without_that_loop_is_named(tmp_path: Path) -> None:
    case = with_library(tmp_path, SCRIPT.replace('"Engine.fit"', '"Engine.train"'))
    assert case.record() == python(case.folder, "train.py")
    assert "engine.py: Engine.train has no loop there" in case.summary


def test_a_library_that_was_imported_before_is_named(tmp_path: Path) -> None:
    lines = SCRIPT.splitlines(True)
    told = next(n for n, line in enumerate(lines) if "hindsight.trainer" in line)
    lines[told], lines[told + 1] = lines[told + 1], lines[told]
    case = with_library(tmp_path, "".join(lines))
    assert case.record() == python(case.folder, "train.py")
    assert "engine: hindsight.trainer was called after the module was imported" in case.summary


def test_a_trainer_within_a_loop_of_the_script(tmp_path: Path) -> None:
    case = with_library(tmp_path, SCRIPT.replace("    engine = Engine().fit(6, callback)\n", "    for fold in range(3):\n"
                        "        engine = Engine().fit(4, callback)\n        print('fold', fold, engine.weight)\n"))
    case.record()
    case.add_after("train", "print('fold'", "print('probe', fold, engine.history)")
    truth = case.truth()
    assert case.replay() == truth and " 0 loops skipped" not in case.told
    assert case.replay("--epochs", "2") == truth.splitlines(True)[2]


def test_resuming_within_a_library(tmp_path: Path) -> None:
    case = with_library(tmp_path, SCRIPT.replace("        seen.append(engine.weight)\n", "        seen.append(engine.weight)\n"
                        "        if epoch == 4 and os.path.exists('fuse'):\n            raise KeyboardInterrupt\n")
                        .replace("import sys\n", "import os, sys\n"))
    plain = python(case.folder, "train.py")
    (case.folder / "fuse").write_text("")
    assert rex(case.folder, "record", "-l", "EXP", "--overhead", "1", "--granularity", "0s", "train.py").returncode != 0
    (case.folder / "fuse").unlink()
    done = rex(case.folder, "record", "-l", "EXP", "--resume", "exp0")
    assert done.returncode == 0, done.stderr
    lines = plain.splitlines(True)
    assert done.stdout and lines[-len(done.stdout.splitlines()):] == done.stdout.splitlines(True)


XGBOOST = """
    import numpy as np, xgboost
    data = np.random.default_rng(0).normal(size=(400, 5)).astype(np.float32)
    train = xgboost.DMatrix(data, data[:, 0] * data[:, 1])
    def objective(predicted, matrix):
        error = predicted - matrix.get_label()
        return error, np.ones_like(error)
    model = xgboost.train({"max_depth": 3, "nthread": 1, "subsample": SHARE}, train, 6, obj=objective, evals=[(train, "train")])
    print("loss", model.eval(train))
    """


@pytest.mark.parametrize("share", ("1", "0.5"))
def test_xgboost_trains_on_from_a_checkpoint_unless_it_draws_random_numbers(tmp_path: Path, share: str) -> None:
    pytest.importorskip("xgboost", reason="xgboost is not installed")
    case = Case(tmp_path, train=XGBOOST.replace("SHARE", share))
    case.record()
    case.add_after("train", "error = predicted", "print('probe', float(error.sum()))")
    truth = case.truth()
    assert case.replay() == truth
    assert case.replay("--epochs", "3:5") == "".join(truth.splitlines(True)[3:5])
    assert "begun at the start" not in case.told
    assert ("nothing skipped: a booster that draws random numbers" in case.told) == (share != "1")


def test_lightgbm_is_trained_again_where_its_text_does_not_tell(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    case = Case(tmp_path, train="""
        import lightgbm, numpy as np
        data = np.random.default_rng(0).normal(size=(400, 5))
        train = lightgbm.Dataset(data, data[:, 0] * data[:, 1])
        def callback(state):
            print("round", state.iteration)
        slower = lightgbm.reset_parameter(learning_rate=lambda k: 0.3 * 0.9 ** k)
        lightgbm.train({"verbose": -1, "num_threads": 1}, train, 4, callbacks=[callback, slower])
        """)
    case.record()
    case.add_after("train", 'print("round"', "print('probe', state.model.feature_importance(), state.model.params['learning_rate'])")
    assert case.replay() == case.truth() and "4 loops skipped" in case.told
    case.edit("train", "feature_importance(), ", "feature_importance('gain'), ")
    assert case.replay() == case.truth() and "nothing skipped: a booster of LightGBM" in case.told


def test_an_object_of_c_is_kept_as_the_script_tells(tmp_path: Path) -> None:
    case = Case(tmp_path, train="""
        import ctypes
        from rex import hindsight
        class Counter:
            def __init__(self):
                allocate = ctypes.CDLL(None).calloc
                allocate.restype = ctypes.c_void_p
                self.handle, self.steps = ctypes.c_void_p(allocate(1, 8)), 0
            def up(self):
                self.steps += 1
                ctypes.c_long.from_address(self.handle.value).value += self.steps
            def value(self):
                return ctypes.c_long.from_address(self.handle.value).value
        def save(counter):
            return ctypes.string_at(counter.handle, 8)
        def load(counter, content):
            ctypes.memmove(counter.handle, content, 8)
        hindsight.keep(Counter, save, load, pointers=["handle"])
        counter = Counter()
        for epoch in range(4):
            for step in range(3):
                counter.up()
            print("epoch", epoch, counter.value())
        """)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', counter.value(), counter.steps)")
    assert case.replay() == case.truth() and " 0 loops skipped" not in case.told


BARS = """
    import logging, time
    from tqdm import tqdm, trange
    total, begun = 0.0, time.time()
    bar = trange(5, desc="epochs")
    for epoch in bar:
        for number in tqdm(range(20), mininterval=0):
            total += number * 0.1
        for place, number in enumerate(tqdm([1, 2, 3], leave=False)):
            total += place * number
        bar.set_description(f"epoch {epoch}")
        print("epoch", epoch, total, time.time() > begun)
    for number in tqdm(range(9)):
        if number == 4:
            break
    print("end", bar.n, number)
    """


def test_loops_over_progress_bars(tmp_path: Path) -> None:
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    case = Case(tmp_path, train=BARS)
    assert case.record() == python(tmp_path, "train.py") and "5 iterations" in case.summary
    case.add_after("train", 'print("epoch"', "print('probe', epoch, total, bar.desc)")
    truth = case.truth()
    assert case.replay() == truth and "11 loops skipped" in case.told
    assert case.replay("-j", "2") == truth
    assert case.replay("--epochs", "3") == truth.splitlines(True)[3]
    assert "begun at the start" not in case.told
    case.add_after("train", "total += number * 0.1", "print('probe', epoch, number, total)")
    assert case.replay("-j", "2") == case.truth()


def test_a_search_of_scikit_learn_is_named(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    case = Case(tmp_path, train="""
        import numpy as np
        from sklearn.linear_model import SGDClassifier
        from sklearn.model_selection import GridSearchCV, train_test_split
        draws = np.random.RandomState(0)
        data = draws.normal(size=(60, 3))
        labels = (data[:, 0] > 0).astype(int)
        for number in range(3):
            part, _, marks, _ = train_test_split(data, labels, random_state=number)
            if True:
                GridSearchCV(SGDClassifier(random_state=1), {"alpha": [1e-3, 1e-1]}, cv=2).fit(part, marks)
            print("fold", number, part.sum())
        """)
    case.record()
    assert case.summary.count("GridSearchCV.fit loops over candidates") == 1
    case.add_after("train", 'print("fold', "print('probe', number, marks.sum())")
    assert case.replay() == case.truth()
    case.edit("train", "if True:", "if False:")
    (tmp_path / "EXP").rename(tmp_path / "OLD")
    case.record()
    assert "loops over candidates" not in case.summary


@pytest.mark.stress     # importing Keras takes seconds
def test_a_model_that_keras_saves_has_the_recorded_bytes(tmp_path: Path) -> None:
    if find_spec("keras") is None or find_spec("torch") is None:     # an import of Keras alone wants another backend
        pytest.skip("keras or torch is not installed")
    case = Case(tmp_path, train="""
        import hashlib, os
        os.environ["KERAS_BACKEND"] = "torch"
        import keras, numpy as np
        keras.utils.set_random_seed(0)
        data = np.random.default_rng(0).normal(size=(60, 4)).astype("float32")
        net = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
        net.compile("adam", "mse", metrics=[keras.metrics.MeanAbsoluteError()])
        for turn in range(3):
            net.fit(data, data[:, :1], epochs=2, batch_size=20, verbose=0,
                    callbacks=[keras.callbacks.ModelCheckpoint("best.keras", monitor="loss", save_best_only=True)])
            with open("best.keras", "rb") as file:
                print("turn", turn, hashlib.sha256(file.read()).hexdigest())
        same = keras.models.load_model("best.keras")
        print("end", float(abs(same.predict(data, verbose=0) - net.predict(data, verbose=0)).max()))
        """)
    printed = case.record()
    assert printed.splitlines()[-1] == "end 0.0"
    case.add_after("train", 'print("turn"', "print('probe', turn, net.optimizer.iterations.numpy())")
    assert case.replay("--epochs", "0,2").splitlines() == ["probe 0 6", "probe 2 18"]
    assert "as recorded" in case.told
