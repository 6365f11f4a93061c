"""A build matrix, with dsh: zstd logs in many frames, a code dispatch, a fork."""

from __future__ import annotations

from spillview.demo import python_output
from spillview.demo.dsh import Session
from spillview.demo.kisho import ROOT
from spillview.demo.night import HOUR, MINUTE, Night
from spillview.demo.words import case_name, sentence


def write(night: Night) -> None:
    """Two sessions, the second forked from the first; and what a third left."""
    session = Session(
        night,
        "forge",
        "matrix",
        ago=5.1 * HOUR,
        root="dsh-spill-9bWkZe",
        title="Tidy the build matrix",
    )
    dice = session.dice
    session.prompt("Tidy the build matrix: drop images nobody uses, keep all tests.")
    path = session.shell(
        "docker compose --ansi always build",
        python_output.image_build(dice, 90),
        saying="Building all images as they are.",
        took=410,
    )
    session.reads(path, 300, 60)
    rows = "\n".join(
        f"{n:04d} {case_name(dice)} on {dice.pick(('linux', 'macos'))}"
        for n in range(1_500)
    )
    session.dispatch(
        "const r = await tools.bash({ command: 'python ci/list.py' });\n"
        "return r.stdout.text.split('\\n').length;",
        "python ci/list.py",
        rows,
        "1500",
    )
    session.says("1500 jobs in all; a third of them run on images that nobody pulls.")
    session.wait(12 * MINUTE)
    session.finish(torn=True)

    fork = Session(
        night,
        "forge",
        "matrix, but only the nightly jobs",
        ago=1.2 * HOUR,
        root="dsh-spill-9bWkZe",
        title="Tidy the build matrix",
        parent=session,
    )
    dice = fork.dice
    fork.prompt("Do it for the nightly jobs only, and show me the plan.")
    fork.shell(
        "python ci/plan.py --nightly --explain",
        "\n".join(f"{n:04d} drop: {sentence(dice)}" for n in range(1_400))
        + "\nplan: drop 512 of 1500 jobs, keep 988\n",
        saying="Writing out the plan.",
        took=9,
    )
    fork.says("The plan drops 512 jobs; 988 stay.")
    fork.finish()

    # A session whose log is gone: its spill stays behind, and nobody names it.
    gone = Session(night, "forge", "gone", ago=30 * HOUR, root=ROOT, title="")
    rows = "\n".join(f"{n:04d} {sentence(gone.dice)}" for n in range(1_600))
    night.write(gone.place("bash.txt"), rows.encode(), gone.clock)
