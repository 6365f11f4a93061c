"""Start-up of the command line against `python -c "import orjson"`.

Run by hand: `python -m tests.bench.bench_cli`. The best of interleaved runs, with the
bytecode written; read the ratios, not the times.
"""

from __future__ import annotations

import compileall
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import spillview
from spillview.demo import make_night

RUNS = 25


def taken(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Seconds on the wall and on the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, env=env, check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used


def main() -> None:
    """Measure and print."""
    compileall.compile_dir(str(Path(spillview.__file__).parent), quiet=2)
    with tempfile.TemporaryDirectory() as base:
        homes = {name: os.path.join(base, name) for name in ("empty", "night")}
        os.makedirs(homes["empty"])
        make_night(homes["night"], time.time())
        envs = {
            name: {
                **{k: v for k, v in os.environ.items() if not k.startswith("XDG_")},
                "HOME": home,
                "TMPDIR": os.path.join(home, "tmp"),
                "PYTHONDONTWRITEBYTECODE": "",
            }
            for name, home in homes.items()
        }
        python = [sys.executable, "-c"]
        ours = [sys.executable, "-m", "spillview"]
        runs = {
            "import orjson": ([*python, "import orjson"], "empty"),
            "pass": ([*python, "pass"], "empty"),
            "import spillview.model": ([*python, "import spillview.model"], "empty"),
            "--version": ([*ours, "--version"], "empty"),
            "--help": ([*ours, "--help"], "empty"),
            "ls, no store": ([*ours, "ls"], "empty"),
            "ls, the demo night": ([*ours, "ls"], "night"),
            "ls --no-count, the demo night": ([*ours, "ls", "--no-count"], "night"),
            "ls --json, the demo night": ([*ours, "ls", "--json"], "night"),
            "sessions, the demo night": ([*ours, "sessions"], "night"),
            "grep -l, the demo night": ([*ours, "grep", "-l", "FAILED"], "night"),
        }
        best = dict.fromkeys(runs, (9e9, 9e9))
        for _ in range(RUNS):
            for name, (command, home) in runs.items():
                wall, used = taken(command, envs[home])
                best[name] = min(best[name][0], wall), min(best[name][1], used)
        base_wall, base_used = best["import orjson"]
        print(f"{'':<32}{'wall':>10}{'':>9}{'processor':>13}")
        for name, (wall, used) in best.items():
            print(
                f"{name:<32}{wall * 1e3:7.1f} ms {wall / base_wall:6.2f} x"
                f"{used * 1e3:10.1f} ms {used / base_used:6.2f} x"
            )


if __name__ == "__main__":
    main()
