"""The hook's answer to a command against `python -c pass`.

Run by hand: `python -m tests.bench.bench_hook`. The best of interleaved runs, with the
bytecode written; read the ratios, not the times.
"""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import spillview

RUNS = 25
ROOT = Path(spillview.__file__).parents[1]
START = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = ['spillview', *{{}}]"
)
MAIN = "; from spillview.cli import main; sys.exit(main())"


def started(*words: str) -> list[str]:
    """The command that starts spillview as its script does."""
    return [sys.executable, "-c", START.format(list(words)) + MAIN]


def main() -> None:
    """Measure and print."""
    compileall.compile_dir(str(ROOT / "spillview"), quiet=2)
    answer = started("hook", "run", "claude-code")
    cases = {
        "python -c pass": ([sys.executable, "-c", "pass"], ""),
        "python -c 'import json'": ([sys.executable, "-c", "import json"], ""),
        "hook: cd x && make": (answer, "cd x && make"),
        "hook: pwd": (answer, "pwd"),
        "hook: npm test": (answer, "npm test"),
        "hook ready": (started("hook", "ready"), ""),
    }
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"]}
        for _ in range(RUNS):
            for name, (command, text) in cases.items():
                event = {"tool_name": "Bash", "tool_input": {"command": text}}
                data = json.dumps(event).encode()
                start = time.perf_counter()
                subprocess.run(
                    command, input=data, env=env, stdout=subprocess.DEVNULL, check=True
                )
                taken = time.perf_counter() - start
                best[name] = min(taken, best.get(name, taken))
    base = best["python -c pass"]
    for name, taken in best.items():
        print(f"{name:<26}{taken * 1000:7.1f} ms  {taken / base:5.2f}")


if __name__ == "__main__":
    main()
