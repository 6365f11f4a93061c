"""Node: a router upgrade with an unread type check, and a flaky checkout."""

from __future__ import annotations

from spillview.demo import node_output
from spillview.demo.claude import Session
from spillview.demo.night import HOUR, MINUTE, Night
from spillview.demo.notice import size
from spillview.demo.words import sentence


def write(night: Night) -> None:
    """Two sessions in the shop's front end."""
    _router(night)
    _flaky(night)


def _router(night: Night) -> None:
    session = Session(
        night,
        "storefront",
        "router",
        ago=8.4 * HOUR,
        title="Move the shop to the new router",
        branch="router-7",
    )
    dice = session.dice
    session.prompt("Move the shop to the new router. Types and tests must stay clean.")
    session.says("Installing from the lock file first.")
    session.shell(
        "npm ci", node_output.install(dice, 1400), took=41, about="Install packages"
    )
    session.says("Where is navigation used?")
    session.grep(
        "useNavigate|useHistory",
        "\n".join(
            f"src/views/{dice.pick(node_output.VIEWS)}/{number}.tsx:{number % 90}:"
            f"  const go = useHistory(); // {sentence(dice)}"
            for number in range(300)
        ),
        glob="*.tsx",
    )
    session.says("I'll compare with the design before I touch the checkout.")
    session.mcp(
        "figma",
        "get_file",
        node_output.design_tree(dice, 2100),
        form="Plain text",
        fileKey="Q7checkout2",
        depth=4,
    )
    session.wait(48 * MINUTE)
    session.says("All 63 files are moved over. Type check:")
    session.shell(
        "npx tsc --noEmit --pretty -p tsconfig.json",
        node_output.type_check(dice, 412),
        took=26,
        exit_code=2,
        about="Check the types",
    )
    session.says(
        "What it shows are a few leftovers of the move; I'll fix those and go on."
    )
    session.calls(
        "Edit",
        file_path="src/views/Basket/Row.tsx",
        old_string="go(",
        new_string="navigate(",
    )
    session.wait(5 * MINUTE)
    session.says("Unit tests next.")
    session.shell(
        "npx jest --ci --verbose",
        node_output.unit_tests(dice, 74),
        took=31,
        about="Run the unit tests",
    )
    session.says("Then lint as JSON, so that I can group the findings by rule.")
    session.shell(
        "npx eslint . --format json",
        node_output.lint_report(dice, 520),
        took=19,
        about="Lint everything",
    )
    session.says("Most of it is `eqeqeq`. Building for production.")
    session.shell(
        "npm run build", node_output.bundle(dice, 420), took=15, about="Build the shop"
    )
    session.says("Looking at the built checkout in a browser.")
    session.mcp(
        "playwright",
        "browser_snapshot",
        node_output.page_snapshot(dice, 2600),
        form="Plain text",
    )
    call = session.calls("mcp__playwright__browser_take_screenshot", fullPage=True)
    image = node_output.picture(640, 480)
    millis = int(session.clock * 1000)
    path = session.spill_path(f"mcp-playwright-blob-{millis}-{dice.lower(6)}.png")
    session.night.write(path, image, session.clock + 2)
    note = f"[Binary content (image/png, {size(len(image))}) also saved to {path}]"
    session.gets(call, [{"type": "text", "text": note}])
    session.says("The shop runs on the new router and is type-clean.")
    session.finish()


def _flaky(night: Night) -> None:
    session = Session(
        night,
        "storefront",
        "flaky",
        ago=1.9 * HOUR,
        title="Why does the checkout test flake?",
    )
    dice = session.dice
    session.prompt("Checkout flakes about once a day. Find out whether it still does.")
    session.says("Forty runs should show it.")
    session.shell(
        "for i in $(seq 40); do npx playwright test checkout; done",
        node_output.flaky_runs(dice, 40, {13, 22, 37}),
        took=560,
        about="Run the checkout tests forty times",
    )
    session.says(
        "Forty green runs in a row: the flake is gone since the router change."
    )
    session.says("I'll keep the network trace for the record.")
    session.shell(
        "cat test-results/checkout/network.jsonl",
        node_output.requests(dice, 1500),
        took=1,
        about="Show the network trace",
    )
    session.says("Nothing unusual in it. Closing the ticket.")
    session.finish()
