"""Names in a store: dsh's encoding, one to one, never too long for a file system."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.store import LocalSpillStore, names

from .spills import request, sidecar

TEXT = st.text(st.characters(), max_size=60)
LONG = st.text(st.sampled_from("a.~ é😀/\ud83d\ude00"), min_size=60, max_size=400)


def decoded(name: str) -> str:
    """The reverse, unit by unit, as a reader of the layout would do it."""
    if name == "~":
        return ""
    units = []
    at = 0
    while at < len(name):
        if name[at] == "~":
            units.append(int(name[at + 1 : at + 5], 16))
            at += 5
        else:
            units.append(ord(name[at]))
            at += 1
    data = b"".join(unit.to_bytes(2, "little") for unit in units)
    return data.decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bash.txt", "bash.txt"),
        ("A-z_0.9", "A-z_0.9"),
        ("../etc/passwd", "..~002Fetc~002Fpasswd"),
        ("~", "~007E"),
        ("😀.txt", "~D83D~DE00.txt"),
        ("a b", "a~0020b"),
        ("", "~"),
        (".", "~002E"),
        ("..", "~002E~002E"),
        ("...", "..."),
        ("a\\b\0\n", "a~005Cb~0000~000A"),
        ("\udc80", "~DC80"),
    ],
)
def test_a_name_is_encoded_as_dsh_does_it(name: str, expected: str) -> None:
    assert names.encoded(name) == expected


def test_a_session_has_a_folder_of_twelve_digits_of_its_digest() -> None:
    assert names.session_folder("sess-1") == "session-abe633f3a47a"
    other = hashlib.sha256("ä".encode()).hexdigest()[:12]
    assert names.session_folder("ä") == f"session-{other}"


@given(TEXT)
def test_an_encoded_name_is_safe_and_can_be_read_back(name: str) -> None:
    whole = names.encoded(name)
    assert re.fullmatch(r"[A-Za-z0-9._~-]+", whole)
    assert whole not in (".", "..")
    utf16 = name.encode("utf-16-le", "surrogatepass")
    assert decoded(whole) == utf16.decode("utf-16-le", "surrogatepass")


@given(LONG)
@example("x" * 242)
@example("x" * 243)
@example("x" * 238 + ".txt")
@example("x" * 239 + ".txt")
@example("😀" * 25 + ".json")
@example("." * 300)
@example("x." + "y" * 300)
def test_a_bounded_name_fits_and_keeps_beginning_hash_and_extension(name: str) -> None:
    whole, kept = names.encoded(name), names.bounded(name)
    assert len(kept) <= 242
    if len(whole) <= 242:
        assert kept == whole
        return
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    stem, found, extension = kept.rpartition(f"-{digest}")
    assert found
    assert whole.startswith(stem)
    # No half of a character is left where it was cut.
    assert name.encode("utf-16-le", "surrogatepass").startswith(
        decoded(stem).encode("utf-16-le", "surrogatepass")
    )
    assert not re.search("[\ud800-\udbff]\\Z", decoded(stem)) or "\ud83d" in name
    assert whole.endswith(extension)
    assert len(stem) >= 242 - 17 - 17 - 10


def test_two_long_names_that_differ_at_the_end_stay_apart() -> None:
    one, other = "n" * 300 + "1.txt", "n" * 300 + "2.txt"
    assert names.bounded(one) != names.bounded(other)
    assert names.bounded(one).endswith(".txt")


@pytest.mark.parametrize(
    "name",
    [
        "n" * 235,
        "n" * 236,
        "n" * 237,
        "n" * 242,
        "n" * 243,
        "é" * 1500,
        "x" * 9 + ".json",
    ],
)
def test_a_spill_of_any_name_is_saved_and_read_with_its_sidecar(
    tmp_path: Path, name: str
) -> None:
    store = LocalSpillStore(Path(Places.of_home(str(tmp_path)).state_dir) / "spills")
    ref = store.save_text(request("all of it\n", name=name))
    assert len(os.path.basename(ref.locator)) <= 255
    assert all(len(each) <= 255 for each in os.listdir(Path(ref.locator).parent))
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    (artifact,) = {a.id: a for a in catalogue.complete(catalogue.scan())}.values()
    assert artifact.found.path == ref.locator
    assert artifact.link is not None
    assert artifact.link.state == "linked"
    assert (artifact.session, artifact.tool) == ("sess-1", "bash")
    assert catalogue.problems == []


def test_the_sidecar_of_a_short_name_is_named_after_it(tmp_path: Path) -> None:
    ref = LocalSpillStore(tmp_path).save_text(request("x"))
    assert sidecar(ref.locator)["name"] == os.path.basename(ref.locator)
