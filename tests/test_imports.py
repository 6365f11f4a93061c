"""The core stands alone: no part of it loads Textual, Rich or the screens."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import spillview
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.demo import make_night
from spillview.places import Places

PACKAGE = Path(spillview.__file__).parent

PROBE = """
import json, os, sys
names = json.loads(sys.argv[1])
report = {}
for name in names:
    out, into = os.pipe()
    child = os.fork()
    if not child:
        os.close(out)
        try:
            __import__(name)
            loaded = [m for m in sys.modules if m.split(".")[0] in ("textual", "rich")]
            loaded += [m for m in sys.modules if m.startswith("spillview.tui")]
        except BaseException as error:
            loaded = [repr(error)]
        os.write(into, json.dumps(sorted(loaded)[:5]).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        report[name] = json.loads(pipe.read() or b'["died"]')
    os.waitpid(child, 0)
print(json.dumps({name: loaded for name, loaded in report.items() if loaded}))
"""
"""Imports each module in a fork of its own of one clean interpreter."""


def core_modules() -> list[str]:
    """Every module of the package but the screens."""
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[1] == "tui" or parts[-1] == "__main__":
            continue
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def test_no_core_module_loads_the_screens_or_their_frameworks() -> None:
    names = core_modules()
    assert "spillview.model" in names
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(names)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {}


def test_the_commands_used_most_load_no_slow_module(tmp_path: Path) -> None:
    make_night(str(tmp_path), time.time())
    program = (
        "import sys\n"
        "from spillview.cli import main\n"
        "code = main(sys.argv[1:])\n"
        "slow = ('typing', 'dataclasses', 'inspect', 'pickle')\n"
        "print(code, [m for m in slow if m in sys.modules], file=sys.stderr)\n"
    )
    home = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path / "tmp")}
    env = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")} | home

    def run(*words: str) -> tuple[bytes, bytes]:
        command = [sys.executable, "-c", program, *words]
        done = subprocess.run(command, env=env, capture_output=True)
        return done.stdout, done.stderr.splitlines()[-1]

    ident = run("ls")[0].split()[0].decode()  # which counts, and reads transcripts
    for words in (["ls"], ["sessions"], ["show", ident], ["grep", "FAILED"]):
        assert run(*words)[1] in (b"0 []", b"2 []"), words


def test_the_core_names_the_screens_inside_functions_only() -> None:
    offenders = []
    for name in core_modules():
        relative = Path(*name.split(".")[1:])
        path = (PACKAGE / relative).with_suffix(".py")
        if not path.is_file():
            path = PACKAGE / relative / "__init__.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found = [node.module or ""]
            else:
                continue
            for module in found:
                if module.split(".")[0] in ("textual", "rich") or module.startswith(
                    "spillview.tui"
                ):
                    offenders.append((name, module))
    assert offenders == []


def test_listing_loads_neither_textual_nor_rich(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    program = (
        "import sys\n"
        "from spillview.cli import main\n"
        "code = main(['ls', '--json', sys.argv[1]])\n"
        "heavy = [m for m in sys.modules if m.split('.')[0] in ('textual', 'rich')]\n"
        "print(code, len(heavy), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.split() == ["0", "0"]
    assert json.loads(done.stdout)["name"] == "a.txt"


SLOW = (
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "email",
    "importlib.metadata",
    "inspect",
    "multiprocessing",
    "orjson",
    "pathlib",
    "random",
    "rapidfuzz",
    "rich",
    "shutil",
    "socket",
    "statistics",
    "tempfile",
    "textual",
    "tomllib",
    "urllib",
    "uuid",
)
"""What takes long to load, or brings what does along."""


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("night")
    make_night(str(home), time.time())
    return home


@pytest.mark.parametrize(
    "words",
    [
        ["ls"],
        ["ls", "--no-count"],
        ["sessions"],
        ["show", "ARTIFACT"],
        ["grep", "FAILED"],
        ["grep", "-l", "FAILED"],
    ],
    ids=" ".join,
)
def test_a_later_start_loads_nothing_that_takes_long(
    night: Path, words: list[str]
) -> None:
    catalogue = Catalogue(Places.of_home(str(night)))
    artifact = next(a for a in catalogue.scan(Query()) if a.found.row is None)
    words = [artifact.id if word == "ARTIFACT" else word for word in words]
    program = (
        "import sys\n"
        "from spillview.cli import main\n"
        "main(sys.argv[2:])\n"
        "found = set(sys.argv[1].split()) & set(sys.modules)\n"
        "print('loaded:', *sorted(found), file=sys.stderr)\n"
    )
    kept = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    for _ in range(2):  # the first start fills the cache
        done = subprocess.run(
            [sys.executable, "-c", program, " ".join(SLOW), *words],
            env=kept | {"HOME": str(night), "TMPDIR": str(night / "tmp")},
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout
    assert done.stderr.splitlines()[-1] == "loaded:"
