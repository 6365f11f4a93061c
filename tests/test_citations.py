"""What a transcript names, found in its bytes whoever wrote it there."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from spillview.links.citations import Names
from spillview.model import Found


def item(folder: str, name: str) -> Found:
    path = f"/store/{folder}/{name}"
    return Found(path, "dsh", path, name, "s", "/store")


def cited(found: list[Found], *texts: str, cut: int | None = None) -> set[str]:
    data = b"".join(
        json.dumps({"text": text}, ensure_ascii=n % 2 == 0).encode(
            "utf-8", "surrogatepass"
        )
        + b"\n"
        for n, text in enumerate(texts)
    )
    chunks = [data] if cut is None else [data[:cut], data[cut:]]
    return Names(found).in_text(chunks)


def test_a_path_is_found_with_whatever_stands_around_it() -> None:
    one = item("tool-results", "toolu_01AbCd.txt")
    for text in (
        "/store/tool-results/toolu_01AbCd.txt",
        "Look at tool-results/toolu_01AbCd.txt.",
        "(see `x/tool-results/toolu_01AbCd.txt`:12)",
        "cat '/a b/tool-results/toolu_01AbCd.txt' | wc",
    ):
        assert cited([one], text) == {one.id}, text


def test_other_names_and_other_folders_are_not_taken_for_it() -> None:
    one = item("tool-results", "toolu_01AbCd.txt")
    for text in (
        "toolu_01AbCd.txt",
        "/store/elsewhere/toolu_01AbCd.txt",
        "/store/tool-results/toolu_01AbC.txt",
        "/store/tool-results/toolu_01AbCdE.txt",
    ):
        assert cited([one], text) == set(), text


folders = st.sampled_from(["tool-results", "session-0123456789ab", "täsks", "a b"])
names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1
)


@given(folders, names, st.integers(0, 400), st.booleans())
def test_any_name_is_found_wherever_the_text_is_cut(
    folder: str, name: str, cut: int, ascii_: bool
) -> None:
    one = item(folder, name)
    texts = ["", f"at {one.path} here"] if ascii_ else [f"at {one.path} here"]
    assert cited([one], *texts, cut=cut) == {one.id}
