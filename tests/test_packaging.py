"""What is shipped: exact file lists, and styles that load however it was installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from spillview import __version__

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(),
    reason="runs from a checkout or an unpacked sdist: there is no project to build",
)


def build(kind: str, into: Path) -> Path:
    """One distribution, built by the backend alone: no network, no isolation."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(into)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (made,) = into.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", tmp_path_factory.mktemp("sdist"))


def tree(folder: str) -> set[str]:
    """The files below a folder of the checkout, caches left out."""
    found = set()
    for path in (ROOT / folder).rglob("*"):
        parts = path.relative_to(ROOT).parts
        cached = any(p == "__pycache__" or p.startswith(".") for p in parts)
        if path.is_file() and not cached:
            found.add("/".join(parts))
    return found


def test_wheel_holds_the_package_its_styles_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    about = {name for name in names if ".dist-info/" in name}
    expected = tree("spillview") | {f"spillview/{name}" for name in tree("styles")}
    assert names - about == expected
    assert {name.split(".dist-info/")[1] for name in about} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
        "licenses/spillview/secrets/LICENSE.gitleaks",
    }


def test_wheel_ships_types_profiles_and_only_known_kinds_of_file(wheel: Path) -> None:
    names = [n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n]
    assert "spillview/py.typed" in names
    assert any(n.startswith("spillview/styles/") and n.endswith(".tcss") for n in names)
    for harness in ("claude-code", "dsh", "spillview", "outbox", "folder"):
        assert f"spillview/harnesses/{harness}.toml" in names
    kinds = {os.path.splitext(name)[1] or Path(name).name for name in names}
    assert kinds <= {".py", ".toml", ".tcss", ".typed", ".gitleaks"}
    assert not [name for name in names if "test" in name.split("/")[1]]


def test_sdist_holds_sources_tests_pictures_and_papers(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    expected = {
        *(name for folder in ("spillview", "styles", "tests") for name in tree(folder)),
        *tree("screenshots"),
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
    }
    # Hatchling adds the ignore file, so that a rebuild leaves out the same.
    assert names - {".gitignore"} == expected


STYLES = """
import os, sys
import spillview
from spillview.tui.app import SpillviewApp
given = SpillviewApp.CSS_PATH
paths = [os.fspath(p) for p in ([given] if isinstance(given, str) else given)]
assert paths and all(os.path.isabs(p) and os.path.isfile(p) for p in paths), paths
print(os.path.dirname(spillview.__file__), *{os.path.dirname(p) for p in paths})
"""


def places_of(path: Path, folder: Path) -> list[str]:
    """The package's folder and its styles' folder, with `path` first to import from."""
    done = subprocess.run(
        [sys.executable, "-c", STYLES],
        env={**os.environ, "PYTHONPATH": str(path)},
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def test_checkout_uses_its_own_styles_folder(tmp_path: Path) -> None:
    assert places_of(ROOT, tmp_path) == [str(ROOT / "spillview"), str(ROOT / "styles")]


def test_editable_install_copies_nothing_and_points_at_the_checkout(
    tmp_path: Path,
) -> None:
    archive = zipfile.ZipFile(build("wheel:editable", tmp_path))
    (pointer,) = (n for n in archive.namelist() if ".dist-info/" not in n)
    assert pointer.endswith(".pth")
    assert archive.read(pointer).decode().split() == [str(ROOT)]


def test_wheel_uses_the_styles_inside_the_package(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    package = site / "spillview"
    assert places_of(site, tmp_path) == [str(package), str(package / "styles")]


def test_wheel_built_from_the_sdist_is_the_same(
    wheel: Path, sdist: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # since 3.11.4
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(tmp_path)
    (project,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (again,) = (project / "out").iterdir()
    assert again.name == wheel.name
    one, two = zipfile.ZipFile(wheel), zipfile.ZipFile(again)
    assert sorted(one.namelist()) == sorted(two.namelist())


def test_the_changelog_ends_with_what_is_shipped() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    released = re.fullmatch(r"\[(.+)\] - \d{4}-\d\d-\d\d", headings[1])
    assert released is not None
    assert released[1] == __version__
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= kinds
