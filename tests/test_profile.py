"""Profiles: the built-in ones hold, all facts can be said, mistakes are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.errors import BadProfile
from spillview.model import Boundary, Claim
from spillview.places import Places
from spillview.profiles.claims import ClaimRule, read_claim
from spillview.profiles.file import built_in, check_profile, parse_profile
from spillview.profiles.profile import Profile, load_profiles, untilde, version_key
from spillview.profiles.regexes import UnsafeRegex, check_regex

PROFILES = {profile.harness: profile for profile in built_in()}


def gates(
    harness: str, tool: str | None, version: str | None = None, **env: str
) -> list[tuple[int, str]]:
    found = PROFILES[harness].boundaries_for(tool, version, env)
    return [(boundary.size, boundary.unit) for boundary in found]


# The built-in profiles


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_built_in_regex_is_safe_and_fits_its_samples(profile: Profile) -> None:
    check_profile(profile)


def test_the_built_in_profiles_are_those_promised() -> None:
    assert list(PROFILES) == [
        "agenc",
        "agent-artifacts",
        "claude-code",
        "cline",
        "codewhale",
        "codex",
        "copilot-cli",
        "crush",
        "cursor",
        "deepagents",
        "droid",
        "dsh",
        "eca",
        "folder",
        "gemini-cli",
        "goose",
        "hermes-agent",
        "hlvm",
        "kaish",
        "kilo-legacy",
        "letta-code",
        "librechat",
        "netdata-ai-agent",
        "oh-my-cli",
        "oh-my-pi",
        "openclaw",
        "opencode",
        "openhands",
        "opensploit",
        "outbox",
        "pi",
        "qwen-code",
        "roo-code",
        "rtk",
        "spillview",
        "token-optimizer",
        "vscode-copilot",
        "workbuddy",
        "zeph",
    ]


def test_claude_boundaries_depend_on_tool_and_version() -> None:
    assert gates("claude-code", "Bash") == [(30_000, "chars")]
    assert gates("claude-code", "Grep") == [(20_000, "chars")]
    assert gates("claude-code", "mcp__srv__logs") == [
        (50_000, "chars"),
        (25_000, "tokens"),
    ]
    assert gates("claude-code", "Read") == [(50_000, "chars")]
    assert gates("claude-code", None) == [(50_000, "chars")]
    assert gates("claude-code", "Read", "2.1.51") == [(50_000, "chars")]
    assert gates("claude-code", "Read", "2.1.50") == [(100_000, "chars")]
    assert gates("claude-code", "Read", "2.1.9") == [(100_000, "chars")]
    assert gates("claude-code", "Read", "3.0") == [(50_000, "chars")]
    assert gates("claude-code", "Bash", "2.1.9") == [(30_000, "chars")]


def test_the_environment_replaces_a_boundary_within_its_limits() -> None:
    bash = {
        value: gates("claude-code", "Bash", BASH_MAX_OUTPUT_LENGTH=value)[0][0]
        for value in ("60000", "1", "999999999", "0", "-5", "many", "")
    }
    assert bash == {
        "60000": 60_000,
        "1": 4_000,
        "999999999": 128_000,
        "0": 30_000,
        "-5": 30_000,
        "many": 30_000,
        "": 30_000,
    }
    mcp = gates("claude-code", "mcp__a__b", MAX_MCP_OUTPUT_TOKENS="9000")
    assert mcp == [(50_000, "chars"), (9_000, "tokens")]


def test_background_logs_have_no_boundary() -> None:
    profile = PROFILES["claude-code"]
    assert profile.boundaries_for("Bash", content="background") == ()


def test_the_other_boundaries_are_those_promised() -> None:
    assert gates("dsh", "bash") == [(50_000, "bytes")]
    for harness in ("folder", "outbox", "spillview", "agent-artifacts"):
        assert gates(harness, None) == [(100_000, "chars")]


def test_the_users_settings_come_before_the_profile(tmp_path: Path) -> None:
    from spillview.config import Settings

    settings = Settings(boundaries={"dsh": {"bash": (Boundary(7, "lines"),)}})
    profile = PROFILES["dsh"]
    assert profile.boundaries_for("bash", settings=settings) == (Boundary(7, "lines"),)
    assert profile.boundaries_for("grep", settings=settings) == (
        Boundary(50_000, "bytes"),
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("toolu_01A.txt", {"call_id": "toolu_01A", "ext": "txt"}),
        ("toolu_vrtx_01A.json", {"call_id": "toolu_vrtx_01A", "ext": "json"}),
        ("bvupwggfu.txt", {"task_id": "bvupwggfu"}),
        ("hook-x-stdout.txt", {"label": "x", "stream": "stdout"}),
        ("mcp-a-blob-1770000000000-a1.jpg", {"server": "a"}),
        ("mcp-a-b-1770000000000.txt", {"label": "a-b"}),
        ("a2dc47cd19952b3e0.output", {"task_id": "a2dc47cd19952b3e0"}),
    ],
)
def test_each_generation_of_claude_names_is_read(
    name: str, says: dict[str, str]
) -> None:
    read = PROFILES["claude-code"].read_name(name)
    assert read is not None
    assert says.items() <= read[1].items()


@pytest.mark.parametrize("name", ["toolu_1.txt\n", "x\ntoolu_1.txt", "", "toolu_.tx"])
def test_a_name_must_fit_as_a_whole(name: str) -> None:
    assert PROFILES["claude-code"].read_name(name) is None


def test_a_dsh_name_gives_its_tool_decoded() -> None:
    read = PROFILES["dsh"].read_name("0123456789ab-a~0020b~D83D~DE00.txt")
    assert read is not None
    assert read[1]["tool"] == "a b\U0001f600"


# Claims


@pytest.mark.parametrize(
    ("text", "value", "slack"),
    [
        ("822,582", 822_582, 0),
        ("1.234.567", 1_234_567, 0),
        ("1\u202f234", 1234, 0),
        ("64.8KB", 66_355, 51.2),
        ("64,8 KB", 66_355, 51.2),
        ("600KB", 614_400, 51.2),
        ("1.8MB", 1_887_437, 52_428.8),
        ("1,024KB", 1_048_576, 51.2),
        ("12 bytes", 12, 0),
        ("2 GiB", 2 << 30, (1 << 30) * 0.05),
    ],
)
def test_a_size_is_read_with_the_slack_of_its_rounding(
    text: str, value: int, slack: float
) -> None:
    claim = read_claim(text, ClaimRule("size", "bytes"))
    assert claim is not None
    assert (claim.unit, claim.value) == ("bytes", value)
    assert claim.slack == pytest.approx(slack)


@pytest.mark.parametrize("text", ["", "many", "12 parsecs", "-", "1" * 40])
def test_what_is_no_number_claims_nothing(text: str) -> None:
    assert read_claim(text, ClaimRule("size", "bytes")) is None


@given(st.integers(min_value=0, max_value=1 << 50))
def test_a_rounded_size_always_admits_the_exact_count(size: int) -> None:
    for shift, unit in ((10, "KB"), (20, "MB"), (30, "GB")):
        shown = f"{size / (1 << shift):.1f}".removesuffix(".0") + unit
        claim = read_claim(shown, ClaimRule("size", "bytes"))
        assert claim is not None
        assert isinstance(claim.value, int)
        assert abs(claim.value - size) <= claim.slack + 1


@given(st.text(max_size=40))
def test_tilde_names_decode_to_what_was_encoded(text: str) -> None:
    units = text.encode("utf-16-be", "surrogatepass")
    encoded = "".join(
        character
        if re.fullmatch("[A-Za-z0-9._-]", character)
        else "".join(
            f"~{pair[0]:02X}{pair[1]:02X}"
            for pair in zip(raw[::2], raw[1::2], strict=True)
        )
        for character in text
        for raw in [character.encode("utf-16-be", "surrogatepass")]
    )
    assert untilde(encoded or "~") == text
    assert len(units) % 2 == 0


def test_versions_compare_by_number() -> None:
    assert version_key("2.1.9") < version_key("2.1.51-beta") < version_key("v2.2")
    assert version_key("unknown") == ()


# Every kind of fact

HEAD = """
schema = 1
harness = "trial"
confidence = "source-read"
"""


def made(text: str) -> Profile:
    return parse_profile(HEAD + text, "trial.toml")


def test_a_root_may_differ_by_platform_and_be_moved_by_variables() -> None:
    profile = made(
        """
        [[root]]
        id = "gemini"
        path = "~/.gemini"
        windows = '{localappdata}/gemini'
        macos = ["~/Library/Application Support/gemini", "~/.gemini"]
        env = [
            { name = "GEMINI_CLI_HOME", path = "{value}/.gemini" },
            { name = "GEMINI_PARENT", path = "{value}/gemini-{uid}", adds = true },
            "GEMINI_DIR",
        ]
        [[root]]
        id = "given"
        given = true
        note = "a project's own data folder"
        [[root]]
        id = "editor"
        path = "{vscode_user}/globalStorage/some.extension"
        """
    )
    root = profile.roots[0]
    assert [override.path for override in root.env] == [
        "{value}/.gemini",
        "{value}/gemini-{uid}",
        "{value}",
    ]
    assert root.env[1].adds
    assert root.by_platform["windows"] == ("{localappdata}/gemini",)
    assert profile.roots[1].given


def test_globs_carry_captures_shapes_choices_and_what_files_are() -> None:
    profile = made(
        """
        [[root]]
        id = "r"
        path = "{xdg_data}/r"
        [[glob]]
        path = "{r}/<project>/tool-outputs/session-<session>/<name>.txt"
        versions = "0.29 and later"
        [[glob]]
        path = "{r}/chat-session-resources/<session>/<call_id>/content.{txt,json}"
        [[glob]]
        path = '{r}/.tmp*/<label:(?:stdout|stderr|output)>-<slot:[0-7]>'
        content = "stream"
        tool = "shell"
        [[glob]]
        path = "{r}/**/sh_<id>.out"
        content = "background"
        bounded = false
        confidence = "single report"
        [[glob]]
        path = "{r}/<project>/<name>"
        named = true
        [[glob]]
        path = "{r}/<session>/schema.json"
        artifact = false
        [[glob]]
        path = "{r}/recall.db"
        reader = "rtk"
        field = "recall.blob"
        [[glob]]
        path = "{r}/tool-archive/<session>/<call_id>.json"
        reader = "token-optimizer"
        field = ".response"
        """
    )
    assert [glob.content for glob in profile.globs[2:4]] == ["stream", "background"]
    assert profile.globs[6].field == "recall.blob"


def test_name_rules_say_tools_ids_and_files_to_leave_out() -> None:
    profile = made(
        r"""
        [[name_rule]]
        regex = '^(?P<call_id>(?P<tool>[a-z0-9_-]+?)__[a-z0-9_-]+)\.txt$'
        sample = [{ name = "run__1.txt", tool = "run", call_id = "run__1" }]
        [[name_rule]]
        regex = '^.*\.tmp-[0-9a-f-]+$'
        skip = true
        [[name_rule]]
        regex = '^cmd-(?P<id>\d+)\.txt$'
        tool = "execute_command"
        content = "terminal"
        """
    )
    read = profile.read_name("run__1.txt")
    assert read is not None
    assert read[1] == {"tool": "run", "call_id": "run__1"}
    skipped = profile.read_name("a.tmp-0f")
    assert skipped is not None
    assert skipped[0].skip


@pytest.mark.parametrize(
    ("resolve", "regex", "sample", "group"),
    [
        ('by = "path"', r"saved to (?P<path>[^\n]{1,4096})$", "saved to /a b", "path"),
        (
            'by = "id"\npath = "{r}/tasks/<session>/command-output/<id>"',
            r"Artifact ID: (?P<id>cmd-\d{1,20}\.txt)",
            "Artifact ID: cmd-17.txt",
            "id",
        ),
        (
            'by = "id"\npath = "{r}/<project>/<session>/<id>.*.log"',
            r"artifact://(?P<id>\d{1,9})",
            "Read artifact://3 for it",
            "id",
        ),
        ('by = "row"', "recall (?P<id>[0-9a-f]{12})", "recall 0123456789ab", "id"),
        (
            'by = "call_id"',
            r"call (?P<call_id>\S{1,200}) was saved",
            "call c1 was saved",
            "call_id",
        ),
        (
            'by = "virtual"\npath = "{r}/large_tool_results/<path>"',
            r"at this path: (?P<path>/large[^\n]{1,4096})$",
            "at this path: /large_tool_results/c1",
            "path",
        ),
    ],
)
def test_a_notice_may_name_its_artifact_in_any_way(
    resolve: str, regex: str, sample: str, group: str
) -> None:
    profile = made(
        f"""
        [[root]]
        id = "r"
        path = "~/.r"
        [[notice]]
        id = "trial.one"
        needle = {sample[:6]!r}
        regex = '''{regex}'''
        [notice.resolve]
        {resolve}
        [[notice.sample]]
        text = "{sample}"
        """
    )
    notice = profile.notices[0]
    match = next(iter(notice.find(f"before\n{sample}")))
    assert match[group]


def test_a_lossy_cut_claims_sizes_and_names_no_file() -> None:
    profile = made(
        """
        [[notice]]
        id = "trial.cut"
        cut = true
        needle = "truncated output"
        regex = '^Warning: truncated output \\(original token count: (?P<n>\\d{1,9})\\)'
        claims = { n = "tokens" }
        resolve = { by = "none" }
        places = ["result", "prompt", "attachment"]
        [[notice.sample]]
        text = "Warning: truncated output (original token count: 23456)"
        expect = { n = "23456" }
        """
    )
    notice = profile.notices[0]
    match = next(iter(notice.find(notice.samples[0].text)))
    assert notice.cut
    assert notice.claims_in(match) == (Claim("tokens", 23_456),)


def test_a_notice_says_how_its_preview_stands_and_what_it_claims() -> None:
    profile = made(
        """
        [[notice]]
        id = "trial.kept"
        partial = true
        needle = "sha256"
        regex = 'saved \\((?P<size>[\\d.]{1,9}MB), sha256 (?P<sum>0+)\\) (?P<path>/a)'
        extent = "element"
        close = "</out>"
        [notice.claims]
        size = { unit = "bytes", base = 1000, decimals = 2 }
        sum = "sha256"
        [notice.preview]
        form = "head+tail"
        place = "around"
        size = 40000
        unit = "chars"
        opens = ["Preview:\\n"]
        closes = ["\\n...\\n"]
        gap = '\\n\\.\\.\\. \\[[\\d,]{1,15} characters omitted\\] \\.\\.\\.\\n'
        numbered = true
        escaped = true
        [[notice.sample]]
        text = "saved (0.12MB, sha256 00000000) /a"
        expect = { size = "0.12MB", path = "/a" }
        """
    )
    notice = profile.notices[0]
    match = next(iter(notice.find(notice.samples[0].text)))
    assert notice.claims_in(match) == (
        Claim("bytes", 120_000, 5000.0),
        Claim("sha256", "0" * 8),
    )
    assert notice.preview.form == "head+tail"
    assert notice.preview.escaped


def test_several_gates_and_limits_that_are_none_stand_side_by_side() -> None:
    profile = made(
        """
        [[boundary]]
        tool = ["shell", "run_*"]
        size = 2000
        unit = "lines"
        [[boundary]]
        tool = ["shell", "run_*"]
        size = 51200
        unit = "bytes"
        env = "LIMIT"
        setting = "tool_output.max_bytes"
        [[boundary]]
        size = 40000
        unit = "utf16"
        [[boundary]]
        size = 200000
        unit = "chars"
        gate = false
        note = "of a whole turn"
        [[boundary]]
        content = "hook"
        size = 2500
        unit = "tokens"
        tool = "hook"
        """
    )
    both = (Boundary(2000, "lines"), Boundary(51_200, "bytes"))
    assert profile.boundaries_for("shell") == both
    assert profile.boundaries_for("run_it") == both
    assert profile.boundaries_for("run_it", env={"LIMIT": "9"})[1].size == 9
    assert profile.boundaries_for("web") == (Boundary(40_000, "utf16"),)
    hook = profile.boundaries_for("hook", content="hook")
    assert hook == (Boundary(2500, "tokens"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("days = 30\nby = 'mtime'\nautomatic = true", "30 days by mtime"),
        ("hours = 8\nautomatic = true", "8 hours by mtime"),
        ("days = 7\nby = 'name'", "7 days by date in the name"),
        ("automatic = false", "none"),
        ("note = 'deleted when the task is closed'", "deleted when the task is closed"),
        ("max_files = 20\nmax_bytes = 1048576", "unknown"),
    ],
)
def test_retention_is_told_in_one_line(text: str, said: str) -> None:
    assert str(made(f"[retention]\n{text}").retention) == said


def test_transcripts_may_be_lines_documents_databases_or_folders() -> None:
    profile = made(
        """
        spills = true
        quirks = ["slots are reused"]
        [[root]]
        id = "r"
        path = "~/.r"
        [[transcript]]
        path = "{r}/sessions/<project>/<session>.jsonl"
        reader = "codex"
        [[transcript]]
        path = "{r}/chats/<parent>/<agent>.json"
        reader = "gemini"
        form = "json"
        [[transcript]]
        path = "{r}/sessions.db"
        reader = "goose"
        form = "sqlite"
        [[transcript]]
        path = "{r}/conversations/<session>/events"
        reader = "openhands"
        form = "json-dir"
        evidence = { session = '[0-9a-f]{32}' }
        confidence = "single report"
        [pointer]
        path_field = "message.details.fullOutputPath"
        id_field = "messages.tool_call_id"
        """
    )
    assert [rule.form for rule in profile.transcripts] == [
        "jsonl",
        "json",
        "sqlite",
        "json-dir",
    ]
    assert profile.pointer["id_field"] == "messages.tool_call_id"


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("replace = [['[^A-Za-z0-9]', '-']]", "/srv/my app", "-srv-my-app"),
        (
            "replace = [['[/:]{1,99}', '-']]\ntilde = '[^A-Za-z0-9._-]'\ntrim = '-'\n"
            "before = '--'\nafter = '--'",
            "/srv//my app",
            "--srv-my~0020app--",
        ),
        (
            "hash = 'sha256'",
            "/p",
            "3ca1f8dbddc35ad1fd0dc6dd0dfc1c5ae31ab0ed9a8ce1ba69b25adb62b4a1b9",
        ),
    ],
)
def test_project_names_are_made_by_rules(text: str, path: str, name: str) -> None:
    import hashlib

    rule = made(f"[[project]]\n{text}").projects[0]
    if rule.hash is not None:
        name = hashlib.sha256(path.encode()).hexdigest()
    assert rule.fits(name, path)
    assert not rule.fits(name, path + "x")


def test_a_cut_project_name_fits_by_its_beginning() -> None:
    rule = PROFILES["claude-code"].projects[0]
    path = "/" + "a" * 300
    assert rule.fits("-" + "a" * 199 + "-k3j9", path)
    assert not rule.fits("-" + "b" * 199 + "-k3j9", path)


# Mistakes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[root]]\npath = '~/x'", "root 1: id: is missing"),
        ("[[root]]\nid = 'r'", "root r: path: is missing"),
        ("[[root]]\nid = 'r'\npath = '{temp}/x'", "{temp} is not known"),
        ("[[root]]\nid = 'r'\npath = 'x'", "must begin with ~, /"),
        (
            "[[root]]\nid = 'r'\npath = '~'\nenv = [{name = 'A', path = 'b'}]",
            "must begin with {value}",
        ),
        ("[[glob]]\npath = '{r}/x'", "{r} is no root here"),
        ("[[glob]]\npath = 'x/y'", "must begin with {the id of a root}"),
        (
            "[[root]]\nid='r'\npath='~'\n[[glob]]\npath = '{r}/<a/b'",
            "bracket",
        ),
        ("[[root]]\nid='r'\npath='~'\n[[glob]]\npath = '{r}/**'", "add <name>"),
        ("[[root]]\nid='r'\npath='~'\n[[glob]]\npath = '{r}/../x'", "must not hold"),
        (
            "[[root]]\nid='r'\npath='~'\n[[glob]]\npath = '{r}/<a:(>'",
            "is not a pattern",
        ),
        ("[[boundary]]\nunit = 'chars'", "boundary 1: size: is missing"),
        ("[[boundary]]\nsize = 1", "boundary 1: unit: is missing"),
        ("[[boundary]]\nsize = 0\nunit = 'chars'", "must be above 0"),
        ("[[boundary]]\nsize = 1\nunit = 'char'", "must be one of chars, utf16"),
        ("[[boundary]]\nsize = '1'\nunit = 'chars'", "must be a whole number"),
        ("[[boundary]]\nsize = 1\nunit = 'chars'\ntols = 'x'", "did you mean 'tool'"),
        ("colour = 'red'", "colour: is not a key of a profile"),
        ("root = 3", "must be a list of tables"),
        ("retention = 'never'", "must be a table"),
        ("[[name_rule]]\nregex = '('", "is not a regex"),
        ("[[name_rule]]\nregex = '(a+)+b'", "repeat inside a repeat"),
        (
            "[[name_rule]]\nregex = 'a'\nsample = [{name = 'b'}]",
            "does not fit its sample",
        ),
        (
            "[[notice]]\nid = 'n'\nneedle = 'x'\nregex = 'x(?P<path>y)'",
            "notice n: sample: is missing",
        ),
        (
            "[[notice]]\nid = 'n'\nneedle = 'x'\nregex = 'xy'\n"
            "[[notice.sample]]\ntext = 'xy'",
            "no group 'path'",
        ),
        (
            "[[notice]]\nid = 'n'\nneedle = 'z'\nregex = 'x(?P<path>y)'\n"
            "[[notice.sample]]\ntext = 'xy'",
            "needle is not in its sample",
        ),
        (
            "[[notice]]\nid = 'n'\nneedle = 'x'\nregex = 'x(?P<path>y)'\n"
            "claims = {n = 'bytes'}\n[[notice.sample]]\ntext = 'xy'",
            "claims.n: the regex has no such group",
        ),
        (
            "[[notice]]\nid = 'n'\nneedle = 'x'\nregex = 'x(?P<path>y)'\n"
            "[[notice.sample]]\ntext = 'xy'\nexpect = {path = 'z'}",
            "group 'path' gives 'y'",
        ),
        ("x = ", "is not TOML"),
    ],
)
def test_a_mistake_names_file_key_and_what_to_do(text: str, said: str) -> None:
    with pytest.raises(BadProfile) as error:
        made(text)
    assert str(error.value).startswith("trial.toml: ")
    assert said in str(error.value)


def test_schema_and_harness_are_checked() -> None:
    with pytest.raises(BadProfile, match="schema 1 only"):
        parse_profile("schema = 2\nharness = 'a'", "f")
    with pytest.raises(BadProfile, match="harness: is missing"):
        parse_profile("schema = 1", "f")
    with pytest.raises(BadProfile, match="lower-case"):
        parse_profile("harness = 'A b'", "f")


def test_a_bad_user_profile_never_takes_the_others_down(tmp_path: Path) -> None:
    folder = tmp_path / ".config/spillview/harnesses"
    folder.mkdir(parents=True)
    (folder / "bad.toml").write_text("harness = 3", encoding="utf-8")
    (folder / "bytes.toml").write_bytes(b"\xff")
    (folder / "folder.toml").mkdir()
    (folder / "mine.toml").write_text("harness = 'mine'", encoding="utf-8")
    (folder / "dsh.toml").write_text(
        "harness = 'dsh'\n[[boundary]]\nsize = 5\nunit = 'lines'", encoding="utf-8"
    )
    (folder / "notes.txt").write_text("not a profile", encoding="utf-8")
    profiles, problems = load_profiles(Places.of_home(str(tmp_path)))
    assert set(profiles) == {*PROFILES, "mine"}
    assert profiles["dsh"].boundaries_for(None) == (Boundary(5, "lines"),)
    assert {Path(problem.path).name for problem in problems} == {
        "bad.toml",
        "bytes.toml",
        "folder.toml",
    }
    assert all(problem.sentence for problem in problems)


# Regexes that stay quick


@pytest.mark.parametrize(
    "regex",
    [
        "(a+)+$",
        "(a*)*b",
        "(?:x[0-9]+,?)*y",
        r"\d+ bytes",
        r"size: [^\n]+$",
        r"a.*b",
        r"a\s+\s*b",
        r"a\d+\w+b",
        r"a[^\n]{1,4096}b[^\n]{1,4096}c",
        r"(?:a[^\n]{1,4096}?|b)x.{1,300}",
        r"(x)\1",
        "a{2,20000}b",
        "(",
        "x*",
    ],
)
def test_a_regex_that_may_take_long_is_refused(regex: str) -> None:
    with pytest.raises(UnsafeRegex):
        check_regex(regex)


@pytest.mark.parametrize(
    "regex",
    [
        r"^\d+ bytes",
        r"saved to (?P<path>[^\n]{1,4096})$",
        r"(?:a|b)c\d+x\d+",
        r"x(?:, \d{1,9})?y",
        r"(?:ab){3}",
        r"a\s+b\s+c",
        r"a[^\n]{1,4096}b[^\n]{1,256}c",
        r"a[^\]\n]{1,4096}+\][^\n]{1,4096}c",
        r"a[^\n]{1,4096}\n[^\n]{1,4096}",
    ],
)
def test_a_quick_regex_is_taken(regex: str) -> None:
    check_regex(regex)
