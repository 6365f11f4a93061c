"""A made store of OpenClaw: pi's records, pages as well as commands, capped files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.harness_stores.pi import GATES, Talk, spilled
from tests.printed import FAILED, last_lines, output

FIRST = "11111111-aaaa-4111-8111-0000000000a1"
SECOND = "22222222-bbbb-4222-8222-0000000000a2"
KIMI = "33333333-cccc-4333-8333-0000000000a3"
OLD = "44444444-dddd-4444-8444-0000000000a4"


def page_of(text: str, ident: str) -> str:
    """A page in the marks that OpenClaw puts around what comes from outside."""
    return (
        "SECURITY NOTICE: The following content is from an EXTERNAL source.\n\n"
        f'<<<EXTERNAL_UNTRUSTED_CONTENT id="{ident}">>>\nSource: Web Fetch\n---\n'
        f'{text}\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="{ident}">>>'
    )


def fetched(
    talk: Talk, what: str, path: Path, page: str, *, note: str = "", old: bool = False
) -> Spill:
    """A page that was too long: JSON with the page's start and the notice in it."""
    url = "https://example.com/a"
    call_id = talk.calls("web_fetch", url=url)
    data = page_of(page, "0123456789abcdef").encode()
    path.write_bytes(data)
    shown = page_of(page[:20_000], "fedcba9876543210")
    shown += f"\n\n[Showing truncated web_fetch content. Full output: {path}.{note}]"
    payload: dict[str, Any] = {"url": url, "truncated": True, "text": shown}
    spill: dict[str, Any] = {"path": str(path), "chars": len(page)}
    if note:
        spill["truncated"] = True
    details: dict[str, Any] = payload | {"spill": spill}
    if old:
        details = payload | {"fullOutputPath": str(path), "spilledChars": len(page)}
        if note:
            details["spillTruncated"] = True
    text = json.dumps(payload, indent=2)
    talk.gets(call_id, text, tool="web_fetch", details=details)
    start = data.index(b"---\n") + 4
    seen = ((start, start + 20_000),)
    return Spill(
        path=path,
        data=data,
        what=what,
        session=talk.session,
        tool="web_fetch",
        call_id=call_id,
        failed=False,
        envelope=text,
        seen=seen,
        content="page",
        agrees=None,
    )


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="openclaw")
    tmp = home / "tmp"
    tmp.mkdir(exist_ok=True)
    sessions = home / ".openclaw/agents/main/sessions"
    one = Talk(sessions / f"{FIRST}.jsonl", FIRST)

    path = tmp / "openclaw-bash-00000000000000a1.log"
    data = output("claw", 120_000, verdict=FAILED)
    spill = spilled(one, "a command, exit code 1", path, data, code=1)
    tail = one.calls("exec", says="Once more.", command=f"head -c 900 {path}")
    one.gets(tail, data[:900].decode(), tool="exec")
    assert spill.seen is not None
    store.spills.append(
        replace(
            spill, seen=((0, 900), *spill.seen), read_back=True, next_text="Once more."
        )
    )
    path = tmp / "openclaw-output-00000000000000a2.log"
    data = output("出力", 90_000, kind="cjk")
    store.spills.append(spilled(one, "the prefix without a tool", path, data))

    page = output("page", 60_000, verdict="The end.").decode().rstrip()
    path = tmp / "openclaw-web-fetch-00000000000000b1.log"
    store.spills.append(fetched(one, "a page", path, page))
    path = tmp / "openclaw-web-fetch-00000000000000b2.log"
    note = " Spilled first 2000000 chars."
    store.spills.append(fetched(one, "a page, capped", path, page, note=note))
    path = tmp / "openclaw-web-fetch-00000000000000b3.log"
    note = " Spilled available content from truncated response."
    capped = fetched(one, "a page, its source cut", path, page, note=note, old=True)
    store.spills.append(capped)

    # Elided later: a line with the path took the result's place.
    path = tmp / "openclaw-bash-00000000000000c1.log"
    data = output("elided", 70_000)
    path.write_bytes(data)
    call = one.calls("bash", command="make elided")
    text = (
        f"[tool result elided: full output preserved at {path}; read it if the output "
        "is needed]"
    )
    one.gets(call, text, details={"fullOutputPath": str(path)})
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="elided",
            session=FIRST,
            call_id=call,
            command="make elided",
            envelope=text,
            seen=(),
            gates=GATES,
        )
    )
    path = tmp / "openclaw-bash-00000000000000c2.log"
    path.write_bytes(data)
    call = one.calls("bash", command="make compact")
    one.gets(call, f"[read {path}]", details={"fullOutputPath": str(path)})
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="elided in few words",
            session=FIRST,
            call_id=call,
            envelope=f"[read {path}]",
            seen=(),
            gates=GATES,
        )
    )
    call = one.calls("bash", command="make nothing")
    one.gets(
        call,
        "[tool result elided: aggregate tool-result budget exceeded; rerun the command "
        "if the output is needed]",
    )
    store.gone.append(
        Gone(what="elided, nothing saved", state="cut", session=FIRST, call_id=call)
    )
    path = tmp / "openclaw-bash-00000000000000c3.log"
    lost = spilled(one, "swept", path, output("gone", 60_000), write=False)
    store.gone.append(
        Gone(
            what="swept",
            state="dangling",
            session=FIRST,
            path=str(path),
            call_id=lost.call_id,
        )
    )
    orphan = tmp / "openclaw-bash-00000000000000c4.log"
    orphan.write_bytes(output("orphan", 60_000))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="no record names it",
            link="orphan",
            gates=GATES,
        )
    )
    one.write()

    # A session of another agent that was reset, and one of the fork.
    old = Talk(
        home / f".openclaw/agents/ops/sessions/{OLD}.jsonl.reset.2026-11-18T12-26-40",
        OLD,
    )
    path = tmp / "openclaw-bash-00000000000000d1.log"
    data = output("reset", 60_000)
    store.spills.append(spilled(old, "of a session that was reset", path, data))
    old.write()
    kimi = Talk(home / f".kimi_openclaw/agents/main/sessions/{KIMI}.jsonl", KIMI)
    path = tmp / "openclaw-bash-00000000000000d2.log"
    data = output("kimi", 60_000)
    shown = last_lines(data, 2000, 51_200)
    store.spills.append(spilled(kimi, "of the fork", path, data, shown=shown))
    kimi.write()
    two = Talk(sessions / f"{SECOND}.jsonl", SECOND, "/srv/other")
    path = tmp / "openclaw-bash-00000000000000d3.log"
    data = output("crlf", 60_000, kind="crlf")
    store.spills.append(spilled(two, "CRLF", path, data))
    two.write()

    (sessions / "sessions.json").write_text("{}")
    store.others.append(sessions / "sessions.json")
    for name in ("openclaw-bash-notes.log", "openclaw-web-fetch-1.txt"):
        foreign = tmp / name
        foreign.write_text("not an output\n")
        store.others.append(foreign)
    return store
