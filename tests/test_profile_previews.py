"""What profiles say of previews, claims and the words around a tool's output."""

from __future__ import annotations

import pytest

from spillview.errors import BadProfile
from spillview.model import Claim
from spillview.profiles.claims import ClaimRule, read_claim
from spillview.profiles.file import parse_profile
from spillview.profiles.profile import Profile
from spillview.transcripts.notices import notices_in

HEAD = 'schema = 1\nharness = "mine"\n'
NOTICE = """
[[notice]]
id = "mine.saved"
needle = "saved to: "
regex = '^saved to: (?P<path>[^\\n]{1,4096}+)$'
claims = { rows = { unit = "lines", slack = 1 } }
[notice.preview]
form = "head+tail"
place = "before"
opening = 'begins \\((?P<rows>\\d{1,9}) rows\\)\\n'
[[notice.sample]]
text = "begins (7 rows)\\nx\\nsaved to: /a"
expect = { path = "/a" }
"""


def mine(text: str) -> Profile:
    return parse_profile(HEAD + text, "mine.toml")


def test_a_notice_may_need_words_at_the_texts_beginning() -> None:
    notices = mine(NOTICE).notices
    (hit,) = notices_in("begins (7 rows)\nx\nsaved to: /a", "result", notices)
    assert (hit.path, hit.claims) == ("/a", (Claim("lines", 7, 1),))
    assert notices_in("x\nsaved to: /a", "result", notices) == []
    assert notices_in("x\nbegins (7 rows)\nsaved to: /a", "result", notices) == []


def test_a_sample_without_its_opening_is_refused() -> None:
    with pytest.raises(BadProfile, match="does not match its sample"):
        mine(NOTICE.replace('"begins (7 rows)', '"(7 rows)'))


@pytest.mark.parametrize("regex", ["(?:a{1,99}){1,99}", "[^x]{1,20000}", "("])
def test_an_opening_that_may_take_long_is_refused(regex: str) -> None:
    text = NOTICE.replace("begins \\((?P<rows>\\d{1,9}) rows\\)\\n", regex)
    with pytest.raises(BadProfile, match="opening"):
        mine(text.replace("claims = {", "# claims = {"))


@pytest.mark.parametrize("regex", ["(?:a{1,99}){1,99}", "(", "x{0,9}"])
def test_a_frame_that_may_take_long_or_fits_nothing_is_refused(regex: str) -> None:
    with pytest.raises(BadProfile, match="frames 1"):
        mine(f"frames = ['{regex}']\n")


def test_a_count_may_be_off_by_what_a_harness_counts_otherwise() -> None:
    assert read_claim("2,345", ClaimRule("n", "lines", slack=1)) == Claim(
        "lines", 2345, 1
    )
