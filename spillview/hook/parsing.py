"""A shell command as its simple commands, or the reason why it is left alone.

Only what means the same in every shell is understood: words, quotes, plain variables,
`&&`, `||`, `;`, `|`, `|&`, newlines and redirections of stderr. Whatever else a shell
knows is a reason to leave the command alone, never a guess.
"""

from __future__ import annotations

OPERATORS = ("&&", "||", "|&", ";", "|", "\n")
"""What may stand between two simple commands; longer ones first."""

STDERR_REDIRECTIONS = ("2>&1", "2>/dev/null", "2> /dev/null")
"""Redirections that leave stdout as it is; longer spellings mean the same."""

_GRAMMAR = (
    "if then elif else fi for while until do done case esac select function time"
    " coproc in { } ! [[ ]] foreach repeat end nocorrect noglob -"
)
RESERVED = frozenset(_GRAMMAR.split())
"""Words that are grammar where a command's name is expected (bash and zsh)."""

_PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+%@"
)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _LETTERS | frozenset("0123456789")
_LIVE = frozenset("*?[]{}~=^!#")
"""Chars to which some shell gives a meaning inside an unquoted word."""


class LeftAlone(Exception):
    """The command stays as it is; the message says why, in a few words."""


class Word:
    """One word of a simple command."""

    __slots__ = ("inert", "raw", "value")

    def __init__(self, raw: str, value: str, inert: bool) -> None:
        self.raw = raw
        """As it was written."""
        self.value = value
        """Without its quotes; variables and globs stay as written."""
        self.inert = inert
        """Whether every shell reads it as exactly `value`."""


class Simple:
    """One simple command."""

    __slots__ = ("assignments", "redirections", "text", "words")

    def __init__(
        self,
        text: str,
        assignments: tuple[Word, ...],
        words: tuple[Word, ...],
        redirections: tuple[str, ...],
    ) -> None:
        self.text = text
        """As it was written, without what stands around it."""
        self.assignments = assignments
        self.words = words
        """The command's name and its arguments; never empty."""
        self.redirections = redirections
        """Where it sends stderr: `2>&1`, `2>/dev/null`."""

    @property
    def values(self) -> list[str]:
        """The words without their quotes."""
        return [word.value for word in self.words]


Pipeline = tuple[Simple, ...]
"""Simple commands joined by `|`; the last one's output is what is seen."""


def parse(command: str) -> list[Pipeline]:
    """The pipelines of `command`, in their order.

    Raises `LeftAlone` for whatever is more than lists of pipelines of simple commands.
    """
    return _Parser(command).pipelines()


class _Parser:
    def __init__(self, text: str) -> None:
        for char in text:
            if (char < " " and char not in "\t\n") or char == "\x7f":
                raise LeftAlone("holds a control character")
            if "\ud800" <= char <= "\udfff":
                raise LeftAlone("is not valid Unicode")
            if char > "~" and char.isspace():
                raise LeftAlone("holds a space that shells read differently")
        self.text = text
        self.at = 0

    def pipelines(self) -> list[Pipeline]:
        found: list[Pipeline] = []
        stages: list[Simple] = []
        wanted = ""  # the operator that needs a command after it
        while True:
            self._skip_blanks(lines=wanted != "" or not stages)
            if self.at >= len(self.text):
                break
            operator = self._operator()
            if operator is None:
                if stages and not wanted:
                    raise LeftAlone("cannot be split into commands")
                stages.append(self._simple())
                wanted = ""
                continue
            if wanted or not stages:
                raise LeftAlone(f"has nothing before {operator!r}")
            self.at += len(operator)
            if operator in ("|", "|&"):
                wanted = operator
                continue
            found.append(tuple(stages))
            stages = []
            wanted = operator if operator in ("&&", "||") else ""
            if wanted:
                self._skip_blanks(lines=True)
                if self.at >= len(self.text):
                    raise LeftAlone(f"ends with {operator}")
                if self._operator() is not None:
                    raise LeftAlone(f"has nothing after {operator}")
                stages.append(self._simple())
                wanted = ""
        if wanted:
            raise LeftAlone(f"ends with {wanted}")
        if stages:
            found.append(tuple(stages))
        if not found:
            raise LeftAlone("is empty")
        return found

    def _operator(self) -> str | None:
        for operator in OPERATORS:
            if self.text.startswith(operator, self.at):
                return operator
        return None

    def _skip_blanks(self, *, lines: bool) -> None:
        """Pass spaces, continued lines and comments; with `lines` newlines too."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t" or (char == "\n" and lines):
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def _simple(self) -> Simple:
        start = end = self.at
        assignments: list[Word] = []
        words: list[Word] = []
        redirections: list[str] = []
        while self.at < len(self.text):
            self._skip_inline()
            if self.at >= len(self.text) or self._operator() is not None:
                break
            redirection = self._redirection()
            if redirection is not None:
                redirections.append(redirection)
            else:
                word = self._word()
                if not words and _assigns(word):
                    assignments.append(word)
                elif not words and word.value in RESERVED:
                    raise LeftAlone(f"uses the shell's {word.value!r}")
                else:
                    words.append(word)
            end = self.at
        if not words:
            raise LeftAlone("changes the shell itself")
        return Simple(
            self.text[start:end],
            tuple(assignments),
            tuple(words),
            tuple(redirections),
        )

    def _skip_inline(self) -> None:
        """Pass blanks between words; a `#` here begins a comment."""
        while self.at < len(self.text):
            if self.text[self.at] in " \t":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#" and self._fresh():
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def _fresh(self) -> bool:
        """Whether a word would begin here."""
        return self.at == 0 or self.text[self.at - 1] in " \t\n;|&"

    def _redirection(self) -> str | None:
        """Pass `2>&1` or `2>/dev/null`; None where something else stands."""
        for form in STDERR_REDIRECTIONS:
            stop = self.at + len(form)
            after = self.text[stop : stop + 1]
            if self.text.startswith(form, self.at) and after in ("", *" \t\n;|"):
                self.at = stop
                return form
        return None

    def _word(self) -> Word:
        start = self.at
        value: list[str] = []
        inert = True
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\n;|":
                break
            if char in _PLAIN:
                value.append(char)
                self.at += 1
            elif char == "'":
                value.append(self._single())
            elif char == '"':
                text, fixed = self._double()
                value.append(text)
                inert = inert and fixed
            elif char == "\\":
                if self.at + 1 >= len(self.text):
                    raise LeftAlone("ends with a backslash")
                if self.text[self.at + 1] != "\n":
                    value.append(self.text[self.at + 1])
                self.at += 2
            elif char == "$":
                value.append(self._variable())
                inert = False
            else:
                self._refuse(char)
                inert = inert and char not in _LIVE
                value.append(char)
                self.at += 1
        raw = self.text[start : self.at]
        return Word(raw, "".join(value), inert)

    def _refuse(self, char: str) -> None:
        """Refuse what makes a word more than a word."""
        if char == "&":
            raise LeftAlone("uses &")
        if char == "<":
            here = self.text.startswith("<<", self.at)
            raise LeftAlone("has a here-document" if here else "reads from a file")
        if char == ">":
            raise LeftAlone("writes into a file or descriptor of its own")
        if char in "()":
            raise LeftAlone("has a subshell or function")
        if char == "`":
            raise LeftAlone("has a command substitution")

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise LeftAlone("has an open quote")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return text

    def _double(self) -> tuple[str, bool]:
        """The text between double quotes, and whether no variable is in it."""
        self.at += 1
        value: list[str] = []
        fixed = True
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return "".join(value), fixed
            if char == "`":
                raise LeftAlone("has a command substitution")
            if char == "$":
                after = self.text[self.at + 1 : self.at + 2]
                if after in _LETTERS or after in ("{", "(", "["):
                    value.append(self._variable())
                    fixed = False
                    continue
                if after not in ('"', " ", "", "|", ")", "\\", ",", ".", "/"):
                    raise LeftAlone(f"asks the shell for ${after}")
                fixed = fixed and after in ('"', " ", "|", ")")
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in '$`"\\\n':
                self.at += 1
                char = self.text[self.at : self.at + 1]
                if char == "\n":
                    self.at += 1
                    continue
            elif char == "!":
                fixed = False  # an interactive shell looks into its history
            value.append(char)
            self.at += 1
        raise LeftAlone("has an open quote")

    def _variable(self) -> str:
        """Pass `$NAME` or `${NAME}`; refuses every other expansion."""
        start = self.at
        self.at += 1
        braced = self.text.startswith("{", self.at)
        self.at += braced
        name = self.at
        while self.at < len(self.text) and self.text[self.at] in _NAME:
            self.at += 1
        text = self.text[name : self.at]
        if not text or text[0] not in _LETTERS or text == "_":
            shown = self.text[start : start + 2]
            if shown == "$(":
                raise LeftAlone("has a command substitution")
            raise LeftAlone(f"asks the shell for {shown}")
        if text in _SHELL_OWN or text.startswith("BASH"):
            raise LeftAlone(f"asks the shell for ${text}")
        if braced:
            if not self.text.startswith("}", self.at):
                raise LeftAlone("has an expansion that computes")
            self.at += 1
        elif self.text.startswith("[", self.at):
            raise LeftAlone("has an expansion that computes")
        return self.text[start : self.at]


_OWN = (
    "PPID SHLVL LINENO RANDOM SRANDOM SECONDS FUNCNAME SHELLOPTS PIPESTATUS DIRSTACK"
    " EPOCHSECONDS EPOCHREALTIME GROUPS UID EUID status pipestatus argv IFS"
)
_SHELL_OWN = frozenset(_OWN.split())
"""Variables whose value differs between a shell and its child, or that steer it."""


def _assigns(word: Word) -> bool:
    """Whether a first word sets a variable."""
    name, equals, _ = word.raw.partition("=")
    name = name.removesuffix("+")
    return bool(equals and name) and name[0] in _LETTERS and set(name) <= _NAME
