"""Whole commands on decided cases: against merely reading the same columns, and against another counter.

    python benchmarks/parity.py [--repeat 3] [--sizes 10000 100000 1000000]

Every measurement is a process of its own, start-up included: wall time, processor time and peak memory, the best of
some repetitions (a machine that is busy makes wall time mean little; processor time then says more). A first run of
each, not counted, compiles what is imported: installed packages are compiled, and a checkout may not be.
``MetricFrame`` is Fairlearn's; its line is left out, with a word, where Fairlearn is not installed.
"""

import argparse
import importlib.util
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

CONFIG = """\
fairness:
  name: decided
  cases: decided.csv
  label: label
  prediction: prediction
  attributes:
    sex: [female, male]
    age_band: [under_30, 30_to_60, over_60]
  rules:
    - {id: fnr, rate: false_negative, attribute: sex, max_group_gap: 0.05}
    - {id: fpr, rate: false_positive, attribute: age_band, max_group_gap: 0.05}
    - {id: error, rate: error, attribute: [sex, age_band], max_group_gap: 0.05}
    - {id: selection, rate: selection, attribute: [sex, age_band], max_group_gap: 0.05}
"""
BARE = """\
import pandas
pandas.read_csv("decided.csv", usecols=["id", "label", "prediction", "sex", "age_band"])
"""
METRIC_FRAME = """\
import pandas
from fairlearn.metrics import MetricFrame, count, false_negative_rate, false_positive_rate, selection_rate
from sklearn.metrics import zero_one_loss
table = pandas.read_csv("decided.csv", usecols=["id", "label", "prediction", "sex", "age_band"])
assert table["id"].is_unique
metrics = {"fnr": false_negative_rate, "fpr": false_positive_rate, "error": zero_one_loss}
metrics |= {"rate": selection_rate, "n": count}
for names in (["sex"], ["age_band"], ["sex", "age_band"]):
    frame = MetricFrame(
        metrics=metrics, y_true=table["label"], y_pred=table["prediction"], sensitive_features=table[names]
    )
    frame.by_group
"""


@dataclass(frozen=True)
class Cost:
    """Seconds of wall and processor time, and peak memory in MB."""

    wall: float
    cpu: float
    memory: float


def main() -> None:
    """Print one table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    chosen = options.parse_args()
    commands = {"fairgate": ["-m", "fairgate", "fairness", "fairness.yaml", "--json"], "bare read": ["-c", BARE]}
    if importlib.util.find_spec("fairlearn"):
        commands["MetricFrame"] = ["-c", METRIC_FRAME]
    else:
        print("MetricFrame: skipped, Fairlearn is not installed (pip install fairlearn)")
    print(f"{'rows':>9}  {'command':<12} {'wall s':>7} {'cpu s':>7} {'MB':>5}   wall and cpu over the bare read")
    for rows in chosen.sizes:
        with TemporaryDirectory() as folder:
            write(Path(folder), rows)
            for command in commands.values():
                measure(command, folder)
            costs = {name: [] for name in commands}
            for _ in range(chosen.repeat):  # turn by turn, so that a busy minute hits everybody
                for name, command in commands.items():
                    costs[name].append(measure(command, folder))
            best = {name: lowest(found) for name, found in costs.items()}
            for name, cost in best.items():
                figures = f"{cost.wall:>7.2f} {cost.cpu:>7.2f} {cost.memory:>5.0f}"
                over = f"{cost.wall / best['bare read'].wall:.2f}  {cost.cpu / best['bare read'].cpu:.2f}"
                print(
                    f"{rows:>9,}  {name:<12} {figures}   {over}",
                    flush=True,
                )


def write(folder: Path, rows: int) -> None:
    """A configuration and decided cases with seven columns, five of them needed."""
    chance = random.Random(7)
    (folder / "fairness.yaml").write_text(CONFIG)
    with (folder / "decided.csv").open("w") as file:
        file.write("id,label,prediction,sex,age_band,score,branch\n")
        for i in range(rows):
            label, prediction = chance.random() < 0.4, chance.random() < 0.5
            sex, band = chance.choice(("female", "male")), chance.choice(("under_30", "30_to_60", "over_60"))
            file.write(f"case-{i:08d},{label:d},{prediction:d},{sex},{band},{chance.random():.4f},b{i % 17}\n")


def measure(arguments: list[str], folder: str) -> Cost:
    """One process, from its start to its end."""
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL, env=environ)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        raise SystemExit(f"{arguments[:3]} ended with {process.returncode}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def lowest(costs: list[Cost]) -> Cost:
    """The best of every figure."""
    return Cost(*(min(getattr(cost, name) for cost in costs) for name in ("wall", "cpu", "memory")))


if __name__ == "__main__":
    main()
