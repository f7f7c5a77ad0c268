from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from jinja2 import Environment
from tests.site.world import hidden

import duologue
from duologue.site.messages import MessageForm, in_chinese, place, told
from duologue.site.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.site.world import World

CHALLENGES = "duologue.challenges."
TOLD = (
    *("proactive.scoring.checker", "conversation.scoring.checker", "restaurant.scoring.checker"),
    *("spoken.scoring.checker", "spoken.formats.message_rules", "mobilecs.scoring.results"),
    *("mobilecs.scoring.dialogue.checker", "mobilecs.scoring.extraction.checker", "proactive.live.pairs"),
)
"""Modules of the challenges that say what is wrong with what people hand in."""
ELSEWHERE = ("duologue.arena.talks.pair_checks", "duologue.arena.competition.entry_scorer")
OPERATOR = ("database", "campaigns/campaign_protocol", "people/newcomer")
"""Rooms of the arena whose refusals reach nobody but who runs the site, on the command line."""
REFUSALS = {"UsageError", "RequestError", "EntryRefusedError", "NotFoundError"}
OFFICIAL = frozenset({"{line}"})
"""What an official program prints, word for word: it stays as it is."""

PIECE = re.compile(r"[^\s;:,'(){}][^;:,'(){}]*[^\s;:,'(){}]")
"""A run of words between signs, as it stands in the source whatever is put around it."""


@cache
def fixed_parts() -> frozenset[str]:
    """Return the fixed parts of all texts in the source."""
    found = set()
    for path in Path(duologue.__path__[0]).rglob("*.py"):
        if "site" not in path.parts:
            found |= {
                node.value
                for node in ast.walk(ast.parse(path.read_text("utf-8")))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    return frozenset(found)


def spelled(node: ast.expr, known: dict[str, list[str]]) -> list[str]:
    """Return the texts that an expression may be, with braces for what it fills in."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        parts = [[str(one.value)] if isinstance(one, ast.Constant) else _filled(one, known) for one in node.values]
        return ["".join(one) for one in product(*parts)]
    if isinstance(node, ast.IfExp):
        return spelled(node.body, known) + spelled(node.orelse, known)
    if isinstance(node, ast.BoolOp):
        return [text for one in node.values for text in spelled(one, known)]
    return known.get(node.id, []) if isinstance(node, ast.Name) else []


def _filled(value: ast.expr, known: dict[str, list[str]]) -> list[str]:
    inner = value.value if isinstance(value, ast.FormattedValue) else value
    name = inner.id if isinstance(inner, ast.Name) else "x"
    return known.get(name) or [f"{{{name}}}"]


def messages(module: ModuleType) -> Iterator[str]:
    """Yield what a module says of problems, and advises."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        known: dict[str, list[str]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target, value in pairs(node):
                    known.setdefault(target, []).extend(spelled(value, {}))
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                for one in said(node):
                    yield from spelled(one, known)


def refusals(path: Path) -> Iterator[str]:
    """Yield what the functions of a module refuse with."""
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        nodes = list(ast.walk(function))
        known: dict[str, list[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign):
                for target, value in pairs(node):
                    known.setdefault(target, []).extend(spelled(value, {}))
        for node in nodes:
            error = node.exc if isinstance(node, ast.Raise) else None
            if isinstance(error, ast.Call) and error.args and ast.unparse(error.func) in REFUSALS:
                yield from spelled(error.args[0], known)


def pairs(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from ((a.id, b) for a, b in zip(target.elts, value.elts, strict=True) if isinstance(a, ast.Name))


def said(call: ast.Call) -> list[ast.expr]:
    """Return the message and the advice of a call that tells of a problem."""
    if isinstance(call.func, ast.Name) and call.func.id in {"Problem", "ResultRule"}:
        return [one.value for one in call.keywords if one.arg in {"message", "advice"}]
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"add", "warn"} and len(call.args) > 2:
        return call.args[2:]
    return []


@pytest.mark.parametrize("name", [*(CHALLENGES + one for one in TOLD), *ELSEWHERE])
def test_whatever_a_check_says_can_be_said_in_chinese(name: str) -> None:
    found = {text for text in messages(importlib.import_module(name)) if text} - OFFICIAL
    assert found
    assert {text for text in found if in_chinese(text) is None} == set()


def test_whatever_is_refused_on_the_site_can_be_said_in_chinese() -> None:
    arena = Path(duologue.__path__[0], "arena")
    paths = [one for one in arena.rglob("*.py") if not one.relative_to(arena).as_posix().startswith(OPERATOR)]
    paths += Path(duologue.__path__[0], "ratings").glob("*.py")
    found = {text for path in paths for text in refusals(path)}
    assert len(found) > 150
    assert {text for text in found if in_chinese(text) is None} == set()


def test_a_hint_behind_a_message_is_said_in_chinese_too() -> None:
    said = in_chinese("'ann' is no team there; did you mean 'Ann'?; call each system as its team")
    assert said == "“ann”不是那里的队伍；是否应为“Ann”？；请以队伍名称命名每个系统"
    assert in_chinese("there is nobody called 'bo'") == "没有名为“bo”的人"


@pytest.mark.slow
def test_no_form_is_of_a_message_that_is_no_longer_there() -> None:
    known = {piece for part in fixed_parts() for piece in PIECE.findall(part)}
    forms = {key: MessageForm.of(**entry) for key, entry in words().items() if key.startswith("messages.")}
    pieces = {key: [piece for part in one.fixed for piece in PIECE.findall(part)] for key, one in forms.items()}
    unknown = {key: found for key, found in pieces.items() if known.isdisjoint(found)}
    whole = "\n".join(fixed_parts())  # a piece may stand inside of a longer one of the source
    assert {key for key, found in unknown.items() if not any(piece in whole for piece in found)} == set()


@pytest.mark.parametrize(
    ("message", "chinese"),
    [
        (
            "rank 1 is already that of candidate 3; ranks must be 1 to 11, each once",
            "名次 1 已用于候选 3；名次应为 1 到 11，各用一次",
        ),
        ("found a list of 3, expected an object", "此处为 长度为 3 的列表，应为对象"),
        ("the check found 2 errors; the first: the reply is empty", "检查发现 2 个错误，第一个是：回复为空"),
        (
            "1 of 4 answers were rated by two raters, and it takes two of them",
            "4 个回答中有 1 个由两位评分者评过，至少需要两个",
        ),
        (
            "'position' is [3, 2], expected [start, end] with 0 <= start < end",
            "'position' 为 [3, 2]，应为 [start, end]，且 0 <= start < end",
        ),
        ("'id' is 'the user', expected a text", "'id' 为 'the user'，应为文本"),
        ("nobody wrote a form for this", None),
        ("key 'x' is not looked at" + "!" * 1000, None),
    ],
)
def test_values_go_where_the_chinese_form_has_them(message: str, chinese: str | None) -> None:
    assert in_chinese(message) == chinese


def test_messages_of_strangers_are_read_in_a_time_that_grows_with_their_length() -> None:
    hostile = "'" + "' is , expected " * 60
    started = perf_counter()
    for number in range(200):
        in_chinese(f"{hostile}{number}")
    assert perf_counter() - started < 5


@pytest.mark.parametrize("language", ["en", "zh"])
def test_on_a_page_values_are_escaped_and_what_stays_english_says_so(language: str) -> None:
    page = Environment(autoescape=True)
    page.filters |= {"told": told, "place": place}
    shown = page.from_string("{{ message|told }}|{{ strange|told }}|{{ where|place }}|{{ pointer|place }}").render(
        language=language,
        message="key '<b>' is not looked at",
        strange="<i>",
        where="dialogue 'x', candidate 2",
        pointer="/1/attrs",
    )
    english = "key &#39;&lt;b&gt;&#39; is not looked at|&lt;i&gt;|dialogue &#39;x&#39;, candidate 2|/1/attrs"
    chinese = '键 &#39;&lt;b&gt;&#39; 不会被读取|<span lang="en">&lt;i&gt;</span>|对话 &#39;x&#39;，候选 2|/1/attrs'
    assert shown == {"en": english, "zh": chinese}[language]


def test_what_is_refused_is_told_in_the_language_of_the_page_and_to_programs_in_english(world: World) -> None:
    room = "/talks/rooms/none/enter"
    for language, said in (("en", "this room is closed"), ("zh", "聊天室已关闭")):
        client = world.client("volunteer", language=language)
        answer = client.post(room, data=hidden(client.get("/account").text))
        assert answer.status_code == 400
        assert said in answer.text
    program = world.api("volunteer")
    program.headers["Accept-Language"] = "zh"
    assert "this room is closed" in program.post("/api/v1/rooms/none/talks").text
