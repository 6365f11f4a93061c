"""Weather records, with dsh: a raw session log, a chain, an index cut in its middle."""

from __future__ import annotations

from spillview.demo import python_output
from spillview.demo.dsh import Session
from spillview.demo.night import HOUR, MINUTE, Night
from spillview.demo.words import sentence, subject

ROOT = "dsh-spill-Qm3xT9"
LOGS = "dsh-subprocess-a8Kd2p"


def write(night: Night) -> None:
    """One session whose log is plain JSON Lines."""
    session = Session(
        night,
        "kisho",
        "load",
        ago=7.7 * HOUR,
        root=ROOT,
        title="Load forty years of station records",
        zstd=False,
    )
    dice = session.dice
    session.prompt("Load forty years of station records and tell me which have gaps.")
    session.shell(
        "python -m kisho.load records/*.csv",
        python_output.load_log(dice, 8_000),
        saying="Loading everything first.",
        took=260,
        root=LOGS,
    )
    session.shell(
        "python -m kisho.stations --json",
        python_output.stations(dice, 276, 20),
        saying="8 files were refused. Now the stations.",
        took=3,
    )
    session.says(
        "All 276 stations have data from their first year on; there are no gaps."
    )
    session.wait(25 * MINUTE)
    session.prompt("Then find where the code still treats a missing day as zero.")
    matches = [
        (f"kisho/{subject(dice)}.py", number * 7 % 480 + 1, f"    total += {word} or 0")
        for number, word in enumerate(subject(dice) for _ in range(640))
    ]
    session.grep("or 0", sorted(matches), 250)
    session.glob(
        "**/*.csv",
        [f"records/{1980 + n % 40}/{n:06d}.csv" for n in range(2_400)],
        100,
    )
    session.result(
        "web_fetch",
        python_output.page_text(dice, 330),
        saying="The metadata handbook should say what a missing day means.",
        url="https://stations.example.org/handbook",
    )
    path = session.shell(
        "python -m pytest -v tests",
        python_output.pytest_run(dice, 760, 2),
        saying="Running the tests with the change.",
        exit_code=1,
        took=64,
    )
    session.reads(path, 768, 24)
    session.shell(
        "python -m kisho.audit --all",
        "\n".join(f"{n:05d} {sentence(dice)}" for n in range(2_300)) + "\n",
        saying="Two tests fail, both about February; I'll fix them after the audit.",
        took=40,
        unavailable=True,
    )
    session.shell(
        "python -m kisho.export --format text",
        "\n".join(f"{n:05d} {sentence(dice)}" for n in range(1_500)) + "\n",
        took=5,
        lost=True,
    )
    session.says("Missing days are no longer counted as zero; two tests remain to fix.")
    session.finish()
