"""Credentials: found by their shape, hidden at every cut, never anything else."""

from __future__ import annotations

import os
import random
import re
import string
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.errors import Cancelled
from spillview.secrets.looking import MOST, look
from spillview.secrets.masking import (
    MaskedContent,
    Masks,
    concealed,
    cut_pieces,
    hide,
    masked,
    masked_text,
    masked_value,
    redacted,
    seen_states,
)
from spillview.secrets.rules import RULES
from spillview.secrets.spans import BACK, REACH, distinct, found, merged
from tests.credentials import Maker, quiet_lines


def hidden(data: bytes) -> set[int]:
    """The bytes that a whole look hides."""
    return {i for start, end in merged(found(data)) for i in range(start, end)}


def line_of(form: str, secret: str) -> bytes:
    return f"2026-03-01 INFO {form.format(secret)}\n".encode()


@pytest.mark.parametrize("seed", range(5))
def test_every_service_is_known_by_its_shape(seed: int) -> None:
    for service, token in Maker(seed).tokens().items():
        for form in ("{}", "key={}", '"{}",', "({})", "\x1b[32m{}\x1b[0m", r"a\n{}\n"):
            line = line_of(form, token)
            start = line.index(token.encode())
            missed = set(range(start, start + len(token))) - hidden(line)
            assert not missed, (service, form, len(missed))


@pytest.mark.parametrize("seed", range(5))
def test_what_stands_before_a_value_tells_it_to_be_one(seed: int) -> None:
    for form, secret in Maker(seed).labelled():
        line = line_of(form, secret)
        start = line.index(secret.encode())
        assert set(range(start, start + len(secret))) <= hidden(line), form


def test_ordinary_logs_hold_none() -> None:
    alarms = [
        (span.rule.name, line)
        for line in quiet_lines(11, 8_000)
        for span in found(f"{line}\n".encode())
    ]
    assert alarms == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\n    ", "\n+", "\n  12\t"])
@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_hidden_line_by_line(kind: str, newline: str) -> None:
    block = Maker(3).pem(kind, 30, newline)
    data = f"$ cat key\n{block}\nand on it goes".encode()
    shown = masked(data)
    for part in block.split(newline)[1:-1]:
        assert part.encode() not in shown
    assert shown.count(b"\n") == data.count(b"\n")
    assert b"and on it goes" in shown
    assert b"-----BEGIN" in shown


def test_a_certificate_and_a_public_key_are_no_secret() -> None:
    made = Maker(4)
    body = "\n".join(made.of("ABCDEFabcdef0123456789+/", 64) for _ in range(9))
    for kind in ("CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY"):
        text = f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"
        assert found(text.encode()) == []


def test_what_stands_for_a_password_is_left_alone() -> None:
    for line in (
        "password=${DB_PASSWORD}", "password: ********", "PASSWORD=<redacted>",
        "password = os.environ['PW']", "pwd=/srv/app/build", "password: null",
        "token: str", "secret = get_secret(name)", "postgres://user:$PASS@host/db",
        "https://user:password@example.com", "api_key=YOUR_API_KEY_GOES_HERE",
    ):  # fmt: skip
        assert found(line.encode()) == [], line


def _planted(seed: int) -> tuple[bytes, list[tuple[int, int]]]:
    """Lines with credentials among them, and where these are."""
    draw, made = random.Random(seed), Maker(seed)
    forms = [("see {} here", token) for token in made.tokens().values()]
    forms += made.labelled()
    forms.append(("{}", made.pem()))
    data, places = bytearray(), []
    quiet = quiet_lines(seed, 400)
    for form, secret in draw.sample(forms, 20):
        for _ in range(draw.randrange(8)):
            data += f"{next(quiet)}\n".encode()
        line = line_of(form, secret)
        at = len(data) + line.index(secret.encode())
        if secret.startswith("-----BEGIN"):
            body = secret.index("\n"), secret.rindex("\n")
            places.append((at + body[0] + 1, at + body[1]))
        else:
            places.append((at, at + len(secret)))
        data += line
    return bytes(data), places


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 500), st.data())
def test_every_credential_is_hidden_at_every_cut(
    seed: int, data: st.DataObject
) -> None:
    text, places = _planted(seed)
    content = MaskedContent(BytesContent(text))
    whole = masked(text)
    secret = {i for start, end in places for i in range(start, end)}
    secret -= {i for i in secret if text[i] in b"\r\n"}
    for _ in range(8):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 3_000))
        part = content.pread(start, length)
        assert part == whole[start : start + length]
        for index, byte in enumerate(part):
            assert start + index not in secret or byte == ord("*")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 500))
def test_masking_changes_nothing_else(seed: int) -> None:
    text, _ = _planted(seed)
    shown, inside = masked(text), hidden(text)
    assert len(shown) == len(text)
    for index, (before, after) in enumerate(zip(text, shown, strict=True)):
        if index not in inside or before in b"\r\n":
            assert before == after
        else:
            assert after == ord("*")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_any_bytes_are_masked_alike_in_any_window(
    data: bytes, start: int, length: int
) -> None:
    assert (
        MaskedContent(BytesContent(data)).pread(start, length)
        == (masked(data)[start : start + length])
    )


SHARDS = (
    b"token=", b"secret: '", b"eyJ", b"eyJhbGciOiJIUzI1NiJ9.", b"AKIA", b"A" * 20,
    b"\0", b"\xff\xfe", b"\n", b"://u:p4ss@h", b"PRIVATE KEY-----", b"-----BEGIN RSA ",
    b"a1B2c3D4e5F6g7H8i9", b"=", b'"', b"'", b" ", b"\\n", b"ghp_", b"x" * 40,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(SHARDS), max_size=40), st.integers(1, 60))
def test_shards_of_credentials_are_masked_alike_in_any_window(
    shards: list[bytes], step: int
) -> None:
    data = b"".join(shards)
    content = MaskedContent(BytesContent(data))
    parts = [content.pread(at, step) for at in range(0, len(data), step)]
    assert b"".join(parts) == masked(data)


def test_a_window_far_inside_a_file_is_as_the_whole_file() -> None:
    made = Maker(9)
    filler = b"".join(f"{line}\n".encode() for line in quiet_lines(9, 3_000))
    key = made.pem("RSA ", 90).encode()
    data = filler + key + b"\n" + filler
    at = len(filler) + len(key) // 2
    content = MaskedContent(BytesContent(data))
    assert set(content.pread(at, 500)) <= set(b"*\n")
    assert content.pread(0, len(data)) == masked(data)


def test_a_key_that_is_longer_than_the_reach_is_hidden_as_far_as_that() -> None:
    made = Maker(9)
    data = b"ahead\n" + made.pem("", 400).encode() + b"\nbehind\n"
    at = data.index(b"PRIVATE KEY")
    content = MaskedContent(BytesContent(data))
    assert content.pread(0, len(data)) == masked(data)
    for start in (at + REACH - 3_000, at + REACH - 70, at + REACH + 70):
        assert content.pread(start, 200) == masked(data)[start : start + 200]
    body = masked(data)[at + 20 : at + REACH]
    assert set(body) <= set(b"*\n-")


@pytest.mark.parametrize("size", [16, 700, 1_000, 3_000])
def test_a_session_token_of_any_usual_size_is_hidden(size: int) -> None:
    token = Maker(size).of("ABCDEFabcdef0123456789+/", size)
    line = f"aws_session_token = {token}\n".encode()
    assert masked(line) == b"aws_session_token = " + b"*" * size + b"\n"


class Counted(BytesContent):
    """A content that tells how much of it was read."""

    read = 0

    def pread(self, offset: int, length: int) -> bytes:
        data = super().pread(offset, length)
        self.read += len(data)
        return data


def test_a_page_reads_a_bounded_piece_of_a_large_file() -> None:
    content = Counted(bytes(32) * (1 << 18))
    MaskedContent(content).pread(4 << 20, 4_000)
    assert content.read < 16 * REACH


def test_a_line_of_megabytes_with_nuls_and_bad_utf8_is_masked_in_place() -> None:
    token = Maker(2).tokens()["github-classic"].encode()
    data = b"x" * 2_000_000 + b'\0\xff"' + token + b'"\xc3' + b"\0" * 1_000_000
    content = MaskedContent(BytesContent(data))
    place = 2_000_003
    assert content.pread(place - 5, 60)[5 : 5 + len(token)] == b"*" * len(token)
    assert content.pread(place + 7, 20) == b"*" * 20
    [secret] = look(BytesContent(data)).items
    assert (secret.start, secret.end) == (place, place + len(token))


def test_a_credential_that_grows_at_the_end_of_a_file_is_hidden_then() -> None:
    token = Maker(2).tokens()["github-classic"].encode()
    content = BytesContent(b"key " + token[:20])
    shown = MaskedContent(content)
    assert shown.pread(0, 99) == b"key " + token[:20]
    content.__init__(b"key " + token + b"\n")  # type: ignore[misc] # it grew
    assert shown.pread(0, 99) == b"key " + b"*" * len(token) + b"\n"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 500), st.integers(20, 5_000))
def test_a_look_in_blocks_finds_what_one_over_all_finds(seed: int, block: int) -> None:
    text, _ = _planted(seed)
    secrets = look(BytesContent(text), block=block)
    whole = distinct(found(text))
    assert [(s.rule, s.start, s.end) for s in secrets.items] == [
        (s.rule.name, s.start, s.end) for s in whole
    ]
    assert secrets.complete
    for secret in secrets.items:
        assert secret.line == text[: secret.start].count(b"\n") + 1


def test_a_look_ends_at_so_many_and_says_so() -> None:
    made = Maker(8)
    text = "\n".join(made.tokens()["npm"] for _ in range(MOST * 3)).encode()
    secrets = look(BytesContent(text), block=4096)
    assert len(secrets.items) == MOST
    assert not secrets.complete


def test_a_look_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        look(BytesContent(b"x"), cancelled=lambda: True)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 500), st.integers(7, 9_000), st.data())
def test_redacted_text_is_the_file_with_names_in_place(
    seed: int, chunk: int, data: st.DataObject
) -> None:
    text, places = _planted(seed)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    told = b"".join(redacted(BytesContent(text), start, end, chunk=chunk))
    parts = re.split(rb"\[REDACTED:[\w-]+#\d+\]", told)
    ranges = [(a, b) for a, b in merged(found(text)) if a < end and start < b]
    edges = [start, *(edge for pair in ranges for edge in pair), end]
    kept = [
        text[max(a, start) : min(b, end)]
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]
    assert parts == kept
    for low, high in places:
        if high - low > 12:
            assert text[low:high] not in told


def test_equal_credentials_are_known_as_equal() -> None:
    made = Maker(6)
    one, two = made.tokens()["npm"], made.tokens()["npm"]
    text = f"a {one}\nb {two}\nc {one}\n".encode()
    told = b"".join(redacted(BytesContent(text), 0, len(text)))
    assert told == (
        b"a [REDACTED:npm-token#1]\nb [REDACTED:npm-token#2]\n"
        b"c [REDACTED:npm-token#1]\n"
    )


def test_a_text_keeps_undecodable_bytes_and_lone_halves() -> None:
    token = Maker(6).tokens()["npm"]
    name = os.fsdecode(b"caf\xe9 ") + token
    assert masked_text(name) == os.fsdecode(b"caf\xe9 ") + "*" * len(token)
    assert "*" * len(token) in masked_text(f"\ud83d {token}")
    assert masked_text("password is short") == "password is short"


def test_the_name_of_a_member_tells_of_its_value() -> None:
    assert masked_value("db_password", "hunter2!") == "********"
    assert masked_value("title", "hunter2!") == "hunter2!"


def test_the_piece_of_a_credential_that_a_cut_left_is_hidden() -> None:
    token = Maker(6).tokens()["npm"]
    text = f"start {token} end\n".encode()
    at = text.index(token.encode())
    seen = [(0, at + 17)]
    ranges = Masks(BytesContent(text)).ranges
    pieces = cut_pieces(BytesContent(text), seen, ranges)
    envelope = text[: at + 17].decode() + "\n... cut"
    assert concealed(envelope, pieces) == "start " + "*" * 17 + "\n... cut"


def test_the_first_place_asked_for_is_masked_as_any_other() -> None:
    dice = random.Random(3)
    tokens = list(Maker(6).tokens().values())
    parts = []
    for _ in range(60):
        parts.append("some words of a log, line after line\n" * dice.randint(0, 40))
        parts.append(f"here: {dice.choice(tokens)}\n")
    content = BytesContent("".join(parts).encode())
    used = Masks(content)
    used.ranges(0, content.size)
    for _ in range(200):
        start = dice.randrange(content.size)
        end = min(content.size, start + dice.choice([1, 40, 300, 5000, 40_000]))
        assert Masks(content).ranges(start, end) == used.ranges(start, end)


def test_what_was_seen_of_a_credential_is_all_a_part_or_nothing() -> None:
    spans = [(0, 10), (12, 20), (30, 40), (95, 99)]
    assert seen_states(spans, [(0, 15), (40, 90)]) == [True, None, False, False]
    assert seen_states(spans, []) == [False] * 4


def test_hiding_keeps_lines() -> None:
    assert hide(b"ab\r\ncd\n") == b"**\r\n**\n"


def test_rules_are_well_formed() -> None:
    for rule in RULES:
        assert re.fullmatch(r"[a-z0-9-]+", rule.name)
        assert rule.literals
        assert all(len(literal) <= BACK for literal in rule.literals)
        assert rule.back <= BACK
        if rule.folded:
            assert all(literal == literal.lower() for literal in rule.literals)


HOSTILE = {
    "eyJ": b"eyJ", "token=": b"token=", "password": b'password="', "://": b"://a:",
    "key": b"-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n",
    "digits": b"BEGIN PRIVATE KEY-----1: 1: 1: ", "jwt": b" eyJaaaaaaaaaaaa.",
    "auth": b"authorization: bearer ", "SG.": b" SG.", "aa": b"a", "q": b"secret='",
    "curl": b"curl ",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_grows_no_faster_than_the_text(name: str) -> None:
    """Counted in calls of a profiler: no clock can make it fail."""
    counts = []
    for size in (20_000, 80_000):
        data = (HOSTILE[name] * size)[:size]
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            found(data)
        finally:
            sys.setprofile(None)
        counts.append(calls)
    assert counts[1] <= 5 * counts[0] + 2_000


def test_the_core_finds_without_the_interface() -> None:
    code = (
        "import sys; from spillview.secrets import looking, masking;"
        "print([m for m in ('textual', 'rich', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_value_of_chance_is_no_name_though_it_has_strokes_and_few_digits() -> None:
    secret = "YAu93LcVHl2r2/6r+slDgntVLUzrdzNTXDTgJlwA"  # made by chance
    for label in ("aws_secret_access_key", "SecretAccessKey", "storage_key"):
        data = f"{label} = {secret}\n".encode()
        assert [data[s.start : s.end].decode() for s in found(data)] == [secret]
    for name in ("config/production-database.settings2", "com.example.MyService/get9"):
        assert found(f"secret_key = {name}\n".encode()) == []


def test_hardly_any_secret_key_of_chance_is_missed() -> None:
    draw = random.Random(7)
    letters = string.ascii_letters + string.digits + "/+"
    made = ["".join(draw.choices(letters, k=40)) for _ in range(2_000)]
    lines = [f"aws_secret_access_key = {secret}\n".encode() for secret in made]
    missed = sum(not found(line) for line in lines)
    assert missed == 0


def test_most_letters_of_chance_are_a_credential_and_no_name_is() -> None:
    pick, hidden_ones = random.Random(7), 0
    for _ in range(500):
        value = "".join(pick.choices(string.ascii_letters, k=pick.randrange(24, 40)))
        line = f"encryption_key => '{value}'".encode()
        hidden_ones += value.encode() not in masked(line)
    assert hidden_ones > 350
    for name in (
        "theNameOfTheKeyThatIsRead",
        "EncryptionKeyProviderFactoryBean",
        "abcdefghijklmnopqrstuvwxyz",
        "DEFAULTENCRYPTIONKEYNAME",
    ):
        line = f"encryption_key => '{name}'".encode()
        assert masked(line) == line
