"""What npm, tsc, jest, vite, eslint and Playwright print for the shop."""

from __future__ import annotations

import json
import struct
import zlib

from spillview.demo.night import Dice
from spillview.demo.words import camel, case_name, sentence, subject, words

VIEWS = words(
    "Account Basket Category Checkout Compare Delivery Gift Help Home Invoice Login "
    "Orders Payment Product Profile Returns Search Settings Stores Wishlist"
)

PACKAGES = words(
    "acorn ajv ansi-styles balanced-match braces browserslist chalk chokidar color- "
    "name commander cross-spawn debug esbuild escalade estree-walker fast-glob "
    "fill-range glob-parent hasown inherits isexe js-tokens json5 lodash magic- "
    "string micromatch minimatch nanoid node-releases picocolors picomatch postcss "
    "rollup semver sharp source-map styled-jsx supports-color tslib typescript "
    "undici vite yallist zod"
)


def install(dice: Dice, count: int) -> str:
    """`npm ci`: a spinner redrawn with CR, warnings, the summary."""
    frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
    parts = []
    for number in range(count):
        name = dice.pick(PACKAGES)
        parts.append(f"\r\x1b[K{frames[number % 10]} reify:{name}: http fetch {number}")
        if number % 11 == 3:
            old = f"{name}@{dice.below(9)}.{dice.below(20)}.{dice.below(9)}"
            parts.append(f"\r\x1b[Knpm warn deprecated {old}: {sentence(dice)}\n")
    parts.append(
        "\r\x1b[K\nadded 1184 packages, and audited 1185 packages in 38s\n\n"
        "212 packages are looking for funding\n  run `npm fund` for details\n\n"
        "found 0 vulnerabilities\n"
    )
    return "".join(parts)


def type_check(dice: Dice, count: int) -> str:
    """`tsc --noEmit --pretty`: coloured errors, the total, a table of files."""
    kinds = (
        (2345, "Argument of type '{a}' is not assignable to parameter of type '{b}'."),
        (2339, "Property '{a}' does not exist on type '{b}'."),
        (2554, "Expected 2 arguments, but got 1."),
        (2741, "Property '{a}' is missing in type '{b}' but required here."),
    )
    per_file: dict[str, tuple[int, int]] = {}
    parts = []
    for _ in range(count):
        path = f"src/views/{dice.pick(VIEWS)}/{camel(subject(dice))}.tsx"
        line, column = dice.between(4, 320), dice.between(3, 48)
        number, text = dice.pick(kinds)
        text = text.format(a=subject(dice), b=camel(subject(dice)))
        code = f"  navigate({subject(dice)}.{subject(dice)}, {{ {subject(dice)} }});"
        parts.append(
            f"\x1b[96m{path}\x1b[0m:\x1b[93m{line}\x1b[0m:\x1b[93m{column}\x1b[0m - "
            f"\x1b[91merror\x1b[0m\x1b[90m TS{number}: \x1b[0m{text}\n\n"
            f"\x1b[7m{line}\x1b[0m {code}\n\x1b[7m{' ' * len(str(line))}\x1b[0m "
            f"\x1b[91m{' ' * 4}{'~' * dice.between(3, 14)}\x1b[0m\n\n"
        )
        errors, first = per_file.get(path, (0, line))
        per_file[path] = (errors + 1, min(first, line))
    parts.append(f"\nFound {count} errors in {len(per_file)} files.\n\nErrors  Files\n")
    for path in sorted(per_file):
        errors, first = per_file[path]
        parts.append(f"{errors:>6}  {path}\x1b[90m:{first}\x1b[0m\n")
    return "".join(parts)


def unit_tests(dice: Dice, suites: int) -> str:
    """`jest --verbose`: all suites pass."""
    parts = []
    tests = 0
    for number in range(suites):
        view = VIEWS[number % len(VIEWS)]
        parts.append(f"PASS src/views/{view}/{camel(subject(dice))}{number}.test.tsx\n")
        parts.append(f"  {view}\n")
        for _ in range(dice.between(8, 20)):
            tests += 1
            parts.append(f"    ✓ {sentence(dice)} ({dice.between(1, 48)} ms)\n")
        parts.append("\n")
    parts.append(
        f"Test Suites: {suites} passed, {suites} total\n"
        f"Tests:       {tests} passed, {tests} total\n"
        "Snapshots:   0 total\nTime:        27.914 s\nRan all test suites.\n"
    )
    return "".join(parts)


def bundle(dice: Dice, chunks: int) -> str:
    """`vite build`: chunk sizes in colour."""
    parts = ["\x1b[36mvite v7.1.3 \x1b[32mbuilding for production...\x1b[0m\n"]
    parts.append(f"\x1b[32m✓\x1b[0m {chunks * 9} modules transformed.\n")
    for _ in range(chunks):
        name = f"{dice.pick(VIEWS)}-{dice.base62(8)}.{dice.pick(('js', 'css'))}"
        full = dice.between(400, 90_000) / 1000
        parts.append(
            f"\x1b[2mdist/\x1b[22m\x1b[36massets/{name:<28}\x1b[39m"
            f"\x1b[1m\x1b[2m{full:>9.2f} kB\x1b[22m │ gzip: {full / 3:>7.2f} kB\n"
        )
    parts.append("\x1b[32m✓ built in 14.20s 🎉\x1b[39m\n")
    return "".join(parts)


def lint_report(dice: Dice, files: int) -> str:
    """`eslint --format json`: one very long line."""
    rows = []
    for number in range(files):
        messages = [
            {
                "ruleId": dice.pick(("no-unused-vars", "eqeqeq", "react/jsx-key")),
                "severity": 1 + dice.below(2),
                "message": f"'{subject(dice)}' {sentence(dice)}.",
                "line": dice.between(1, 400),
                "column": dice.between(1, 80),
            }
            for _ in range(dice.below(9))
        ]
        errors = sum(1 for message in messages if message["severity"] == 2)
        rows.append(
            {
                "filePath": f"src/views/{dice.pick(VIEWS)}/{number}.tsx",
                "messages": messages,
                "errorCount": errors,
                "warningCount": len(messages) - errors,
            }
        )
    return json.dumps(rows, separators=(",", ":"))


def flaky_runs(dice: Dice, runs: int, failing: set[int]) -> str:
    """Playwright over and over: a few runs fail, the last one passes."""
    parts = []
    for run in range(1, runs + 1):
        parts.append(f"\n=== run {run} of {runs} ===\n\n")
        parts.append("Running 24 tests using 4 workers\n\n")
        for number in range(1, 25):
            bad = run in failing and number == 17
            sign = "✘" if bad else "✓"
            name = "pays once" if number == 17 else sentence(dice)
            parts.append(
                f"  {sign}  {number:>2} [chromium] › tests/checkout.spec.ts:"
                f"{number * 11}:3 › checkout › {name} ({dice.between(210, 940)}ms)\n"
            )
        if run in failing:
            parts.append(
                "\n  1) [chromium] › tests/checkout.spec.ts:187:3 › checkout › pays "
                "once\n\n    Error: expect(locator).toHaveText(expected) failed\n\n"
                '    Expected: "1 payment"\n    Received: "2 payments"\n\n'
                "  1 failed\n    [chromium] › tests/checkout.spec.ts:187:3 › checkout "
                "› pays once\n  23 passed (11.4s)\n"
            )
        else:
            parts.append(f"\n  24 passed ({dice.between(60, 99) / 10}s)\n")
    return "".join(parts)


KEY = "AKIA" + "DEMONIGHTNOTREAL"
"""The night's one credential: an access key in shape, and nobody's."""

SIGNED = 3
"""The request that shows it, within what the model received."""


def requests(dice: Dice, count: int) -> str:
    """A network trace as JSON Lines."""
    rows = []
    for number in range(count):
        row = {
            "t": number * 40 + dice.below(40),
            "method": dice.pick(("GET", "GET", "POST")),
            "url": f"/api/{subject(dice)}/{dice.between(1, 9999)}",
            "status": dice.pick((200, 200, 200, 204, 304, 409)),
            "bytes": dice.between(90, 48_000),
        }
        if number == SIGNED:
            row["url"] = f"/receipts/4021.pdf?X-Amz-Credential={KEY}%2Feu-west-1%2Fs3"
        rows.append(json.dumps(row) + "\n")
    return "".join(rows)


def page_snapshot(dice: Dice, count: int) -> str:
    """A page's accessibility tree, as a browser server returns it."""
    rows = ["- Page URL: http://localhost:4173/checkout", "- Page Snapshot:"]
    kinds = ("link", "button", "heading", "listitem", "textbox", "img", "paragraph")
    for number in range(count):
        indent = "  " * dice.between(1, 9)
        name = case_name(dice).replace("_", " ")
        rows.append(f'{indent}- {dice.pick(kinds)} "{name}" [ref=e{number}]')
    return "\n".join(rows)


def design_tree(dice: Dice, count: int) -> str:
    """A design file's layers as one JSON document."""
    layers = [
        {
            "id": f"{dice.below(900)}:{number}",
            "name": f"{camel(subject(dice))} / {subject(dice)}",
            "type": dice.pick(("FRAME", "TEXT", "INSTANCE", "VECTOR")),
            "box": [dice.below(1400) for _ in range(4)],
            "fills": [{"color": f"#{dice.hex(6)}", "opacity": 1}],
        }
        for number in range(count)
    ]
    return json.dumps({"name": "Checkout 2", "version": "418", "layers": layers})


def picture(width: int, height: int) -> bytes:
    """A small PNG: a plain page with two bars."""
    row = b"\0" + bytes([247, 247, 245]) * width
    bar = b"\0" + bytes([38, 70, 83]) * width
    rows = b"".join(bar if y < 24 or 200 < y < 216 else row for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )
