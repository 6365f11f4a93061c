"""What may be on a disk after a power cut, by what a program asked of it before.

A `Tape` notes every call that changes files, while the calls are really made. From it
`states` gives the trees that a disk may hold when the power goes at any moment:

- What changed a folder's entries is there up to some moment, for each folder by
  itself, unless the folder was synced since. A rename changes both folders at once.
- What was written to a file and not synced is there, or not, or in part, or as zeros,
  whether or not the file's name is there.

Disks with a journal keep to less than that; none that is used does worse. Modes and
times are those of the moment.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST = 48
"""States that are taken of each moment, if it has more: some, by chance."""


@dataclass(slots=True)
class Node:
    """A folder, a file or a link."""

    kind: str
    mode: int
    data: bytes = b""
    """A file's bytes when the tape began, or a link's target."""
    entries: dict[str, int] = field(default_factory=dict)
    old: bool = False
    """Whether it was there when the tape began."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change, or a sync."""

    what: str
    node: int
    folders: tuple[int, ...] = ()
    """The folders whose entries it changes."""
    gone: tuple[tuple[int, str], ...] = ()
    made: tuple[tuple[int, str], ...] = ()
    offset: int = 0
    data: bytes = b""


class Tape:
    """Notes what is done to the files below a folder while it is on."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.nodes: dict[int, Node] = {}
        self.events: list[Event] = []
        self.modes: list[dict[int, int]] = []
        """Before each event, and after the last: modes that are not the first ones."""
        self._now: dict[int, int] = {}
        self._live: dict[tuple[int, int], int] = {}
        self._real: dict[str, Callable[..., Any]] = {}
        self.root = self._scan(str(top))

    def _scan(self, path: str) -> int:
        facts = os.lstat(path)
        known = self._live.get((facts.st_dev, facts.st_ino))
        if known is not None:  # a second name
            return known
        number = self._add(facts)
        node = self.nodes[number]
        node.old = True
        if node.kind == "folder":
            for name in sorted(os.listdir(path)):
                node.entries[name] = self._scan(os.path.join(path, name))
        elif node.kind == "link":
            node.data = os.fsencode(os.readlink(path))
        else:
            with open(path, "rb") as file:
                node.data = file.read()
            times = facts.st_atime_ns, facts.st_mtime_ns
            os.utime(path, ns=times)
        return number

    def _add(self, facts: os.stat_result) -> int:
        kind = "file"
        if stat.S_ISDIR(facts.st_mode):
            kind = "folder"
        elif stat.S_ISLNK(facts.st_mode):
            kind = "link"
        number = len(self.nodes)
        self.nodes[number] = Node(kind, stat.S_IMODE(facts.st_mode))
        self._live[facts.st_dev, facts.st_ino] = number
        return number

    def number_of(self, facts: os.stat_result) -> int:
        """The node of a file that was there when the tape was made."""
        return self._live[facts.st_dev, facts.st_ino]

    # Recording

    def __enter__(self) -> Tape:
        for name in (
            "open", "write", "pwrite", "fsync", "rename", "replace", "link", "unlink",
            "mkdir", "rmdir", "chmod", "fchmod", "close",
        ):  # fmt: skip
            self._real[name] = getattr(os, name)
        real = self._real

        def opened(path: Any, flags: int, *args: Any, dir_fd: Any = None) -> int:
            there = True
            if flags & os.O_CREAT:
                try:
                    os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
                except OSError:
                    there = False
            handle: int = real["open"](path, flags, *args, dir_fd=dir_fd)
            if not there:
                place = self._place(path, dir_fd)
                if place is not None:
                    number = self._add(os.fstat(handle))
                    self._note(Event("create", number, (place[0],), made=(place,)))
            return handle

        def written(handle: int, data: Any) -> int:
            number = self._number(handle)
            at = 0
            if number is not None:
                import fcntl

                append = fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_APPEND
                at = os.lseek(handle, 0, os.SEEK_END if append else os.SEEK_CUR)
            done: int = real["write"](handle, data)
            if number is not None:
                part = bytes(memoryview(data).cast("B")[:done])
                self._note(Event("write", number, offset=at, data=part))
            return done

        def overwritten(handle: int, data: Any, offset: int) -> int:
            done: int = real["pwrite"](handle, data, offset)
            number = self._number(handle)
            if number is not None:
                part = bytes(memoryview(data).cast("B")[:done])
                self._note(Event("write", number, offset=offset, data=part))
            return done

        def synced(handle: int) -> None:
            real["fsync"](handle)
            number = self._number(handle)
            if number is not None:
                self._note(Event("sync", number))

        def moved(
            way: str, src: Any, dst: Any, src_dir_fd: Any = None, dst_dir_fd: Any = None
        ) -> None:
            one, two = self._place(src, src_dir_fd), self._place(dst, dst_dir_fd)
            number = self._look(src, src_dir_fd)
            real[way](src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
            if number is None or one is None or two is None:
                return
            both = tuple(dict.fromkeys((one[0], two[0])))
            self._note(Event("rename", number, both, gone=(one,), made=(two,)))

        def linked(src: Any, dst: Any, **how: Any) -> None:
            number = self._look(src, how.get("src_dir_fd"))
            real["link"](src, dst, **how)
            place = self._place(dst, how.get("dst_dir_fd"))
            if number is not None and place is not None:
                self._note(Event("link", number, (place[0],), made=(place,)))

        def removed(way: str, path: Any, dir_fd: Any = None) -> None:
            number, place = self._look(path, dir_fd), self._place(path, dir_fd)
            real[way](path, dir_fd=dir_fd)
            if number is not None and place is not None:
                self._note(Event(way, number, (place[0],), gone=(place,)))

        def folder_made(path: Any, mode: int = 0o777, *, dir_fd: Any = None) -> None:
            real["mkdir"](path, mode, dir_fd=dir_fd)
            place = self._place(path, dir_fd)
            if place is not None:
                facts = os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
                number = self._add(facts)
                self._note(Event("mkdir", number, (place[0],), made=(place,)))

        def mode_set(way: str, path: Any, mode: int, **how: Any) -> None:
            real[way](path, mode, **how)
            facts = os.fstat(path) if isinstance(path, int) else os.stat(path)
            number = self._live.get((facts.st_dev, facts.st_ino))
            if number is not None:
                self._now[number] = mode

        fakes: dict[str, Any] = {
            "open": opened,
            "write": written,
            "pwrite": overwritten,
            "fsync": synced,
            "rename": lambda *a, **k: moved("rename", *a, **k),
            "replace": lambda *a, **k: moved("replace", *a, **k),
            "link": linked,
            "unlink": lambda *a, **k: removed("unlink", *a, **k),
            "rmdir": lambda *a, **k: removed("rmdir", *a, **k),
            "mkdir": folder_made,
            "chmod": lambda *a, **k: mode_set("chmod", *a, **k),
            "fchmod": lambda *a, **k: mode_set("fchmod", *a, **k),
        }
        for name, fake in fakes.items():
            setattr(os, name, fake)
        return self

    def __exit__(self, *_: object) -> None:
        for name, call in self._real.items():
            setattr(os, name, call)
        self.modes.append(dict(self._now))

    def _note(self, event: Event) -> None:
        self.modes.append(dict(self._now))
        self.events.append(event)

    def _number(self, handle: int) -> int | None:
        facts = os.fstat(handle)
        return self._live.get((facts.st_dev, facts.st_ino))

    def _look(self, path: Any, dir_fd: int | None) -> int | None:
        try:
            facts = os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
        except OSError:
            return None
        return self._live.get((facts.st_dev, facts.st_ino))

    def _place(self, path: Any, dir_fd: int | None) -> tuple[int, str] | None:
        """The folder and the name that a call means; None outside of `top`."""
        folder, name = os.path.split(os.fsdecode(path))
        if folder or dir_fd is None:
            facts = os.stat(folder or ".", dir_fd=dir_fd if folder else None)
        else:
            facts = os.fstat(dir_fd)
        number = self._live.get((facts.st_dev, facts.st_ino))
        return None if number is None else (number, name)


Tree = dict[str, tuple[str, int, int, bytes | None]]
"""By path: kind, node, mode, and the bytes of a file."""


def states(tape: Tape, seed: int = 0, most: int = MOST) -> Iterator[tuple[int, Tree]]:
    """After how many events the power goes, and what is then there; each once."""
    rng = random.Random(seed)
    seen: set[object] = set()
    for moment in range(len(tape.events) + 1):
        for kept in _kept(tape.events[:moment], rng, most):
            for tree in _trees(tape, moment, kept, rng, most):
                key = (moment == len(tape.events), frozenset(tree.items()))
                if key not in seen:
                    seen.add(key)
                    yield moment, tree


def _kept(
    events: list[Event], rng: random.Random, most: int
) -> Iterator[frozenset[int]]:
    """Which changes of entries may be there: numbers of events."""
    changes = [n for n, event in enumerate(events) if event.folders]
    needs = {n: _needs(events, n, changes) for n in changes}
    forced: set[int] = set()
    for n, event in enumerate(events):
        if event.what == "sync":
            forced.update(
                c for c in changes if c < n and event.node in events[c].folders
            )
    sure = _closed(forced, needs)
    open_ = [n for n in changes if n not in sure]
    found = {frozenset(sure), frozenset(changes)}
    if len(open_) <= 8:
        for mask in range(1 << len(open_)):
            chosen = {n for bit, n in enumerate(open_) if mask >> bit & 1}
            found.add(frozenset(_closed(sure | chosen, needs)))
    else:
        for one in open_:  # each alone, and all before it
            found.add(frozenset(_closed(sure | {one}, needs)))
            found.add(frozenset(_closed(sure | {n for n in open_ if n <= one}, needs)))
        for _ in range(most):
            chosen = {n for n in open_ if rng.random() < 0.5}
            found.add(frozenset(_closed(sure | chosen, needs)))
    ordered = sorted(found, key=sorted)
    yield from ordered if len(ordered) <= 2 * most else rng.sample(ordered, 2 * most)


def _needs(events: list[Event], number: int, changes: list[int]) -> set[int]:
    """The changes without which one cannot be there."""
    event = events[number]
    found = set()
    for folder in event.folders:
        before = [c for c in changes if c < number and folder in events[c].folders]
        found.update(before[-1:])
    if event.what == "rmdir":  # nothing that was in it can be there still
        found.update(
            c for c in changes if c < number and event.node in events[c].folders
        )
    return found


def _closed(chosen: set[int], needs: dict[int, set[int]]) -> set[int]:
    closed: set[int] = set()
    left = list(chosen)
    while left:
        number = left.pop()
        if number not in closed:
            closed.add(number)
            left += needs[number]
    return closed


def _trees(
    tape: Tape, moment: int, kept: frozenset[int], rng: random.Random, most: int
) -> Iterator[Tree]:
    events = tape.events[:moment]
    entries = {n: dict(node.entries) for n, node in tape.nodes.items()}
    for number in sorted(kept):
        event = events[number]
        for folder, name in event.gone:
            entries[folder].pop(name, None)
        for folder, name in event.made:
            entries[folder][name] = event.node
    choices: dict[int, list[bytes]] = {}
    for number, node in tape.nodes.items():
        written = [
            e for e in events if e.what in ("write", "sync") and e.node == number
        ]
        if node.kind == "file":
            choices[number] = _contents(node.data, written)
    dirty = [number for number, each in choices.items() if len(each) > 1]
    combinations = [{number: each[0] for number, each in choices.items()}]
    for number in dirty:
        combinations += [
            {**combinations[0], number: data} for data in choices[number][1:]
        ]
    for _ in range(most // 8 if len(dirty) > 1 else 0):
        combinations.append({n: rng.choice(each) for n, each in choices.items()})
    for contents in combinations:
        tree: Tree = {}
        _walk(tape, tape.modes[moment], entries, contents, tape.root, "", tree)
        yield tree


def _contents(before: bytes, events: list[Event]) -> list[bytes]:
    """What may be in a file: all that was written, or what is left of it."""
    last = max((n for n, e in enumerate(events) if e.what == "sync"), default=-1)
    sure = _applied(before, events[:last])
    full = _applied(before, events)
    found = [full, sure]
    waiting = [e for e in events[last + 1 :] if e.what == "write"]
    data = sure
    for event in waiting:
        half = event.data[: len(event.data) // 2]
        found.append(_applied(data, [_cut(event, half)]))
        found.append(_applied(data, [_cut(event, bytes(len(event.data)))]))
        found.append(
            _applied(data, [_cut(event, half + bytes(len(event.data) - len(half)))])
        )
        data = _applied(data, [event])
        found.append(data)
    return list(dict.fromkeys(found))


def _cut(event: Event, data: bytes) -> Event:
    return Event("write", event.node, offset=event.offset, data=data)


def _applied(data: bytes, events: list[Event]) -> bytes:
    for event in events:
        if event.what == "write":
            end = event.offset + len(event.data)
            padded = data.ljust(event.offset, b"\0")
            data = padded[: event.offset] + event.data + padded[end:]
    return data


def _walk(
    tape: Tape,
    modes: dict[int, int],
    entries: dict[int, dict[str, int]],
    contents: dict[int, bytes],
    folder: int,
    path: str,
    tree: Tree,
) -> None:
    for name, number in entries[folder].items():
        node = tape.nodes[number]
        inner = f"{path}/{name}" if path else name
        mode = modes.get(number, node.mode)
        tree[inner] = (node.kind, number, mode, contents.get(number))
        if node.kind == "folder":
            _walk(tape, modes, entries, contents, number, inner, tree)


class Stage:
    """Puts trees where the tape was; some files are the very ones that were there."""

    def __init__(self, tape: Tape, pool: Path, paths: dict[int, str]) -> None:
        """`pool` is a folder on the same disk; `paths` where those files are now."""
        self._tape, self._pool = tape, pool
        self._numbers: dict[int, int] = {}
        self._facts: dict[int, os.stat_result] = {}
        pool.mkdir()
        for number, path in paths.items():
            facts = os.lstat(path)
            self._numbers[facts.st_ino] = number
            self._facts[number] = facts
            os.rename(path, pool / str(number))
        self.gather()

    def gather(self) -> None:
        """Take those files out of the way, then remove everything."""
        top = str(self._tape.top)
        for folder, _, _ in os.walk(top):
            os.chmod(folder, 0o700)
        for folder, folders, names in os.walk(top):
            links = [f for f in folders if os.path.islink(os.path.join(folder, f))]
            for name in names + links:
                path = os.path.join(folder, name)
                number = self._numbers.get(os.lstat(path).st_ino)
                if number is not None:
                    os.replace(path, self._pool / str(number))
                if os.path.lexists(path):  # a second name is not renamed
                    os.unlink(path)
        for folder, _, _ in os.walk(top, topdown=False):
            if folder != top:
                os.rmdir(folder)

    def set_up(self, tree: Tree) -> None:
        """Make a tree."""
        top = self._tape.top
        first: dict[int, Path] = {}
        for inner, (kind, number, _, data) in tree.items():
            path = top / inner
            if kind == "folder":
                path.mkdir()
            elif number in first:
                os.link(first[number], path, follow_symlinks=False)
            elif number in self._facts:
                os.rename(self._pool / str(number), path)
            elif kind == "link":
                path.symlink_to(os.fsdecode(self._tape.nodes[number].data))
            else:
                path.write_bytes(data or b"")
            first.setdefault(number, path)
        for inner, (kind, _, mode, _) in reversed(tree.items()):
            if kind != "link":
                os.chmod(top / inner, mode)
        for number, facts in self._facts.items():
            if number in first:
                times = facts.st_atime_ns, facts.st_mtime_ns
                os.utime(first[number], ns=times, follow_symlinks=False)
