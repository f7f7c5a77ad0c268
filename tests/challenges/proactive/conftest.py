"""A small agent, and small sessions of our own making to play with."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.core.protocols import System

    Make = Callable[..., Path]

PLUGIN = Path(__file__).resolve().parents[2] / "golden" / "proactive" / "plugin"


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder with what the official programs gave for dialogues invented for this project."""
    return PLUGIN.parent / "official"


@pytest.fixture(scope="session")
def leader() -> System:
    """The small agent of the plug-in folder."""
    spec = importlib.util.spec_from_file_location("leader", PLUGIN / "leader.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: System = module.Leader()
    return made


def session(number: int, **changes: Any) -> dict[str, Any]:
    """Return a session about a film and its director, all invented; sessions of other numbers have other names."""
    film, person = f"海 的 {'一二三四五六七八九十'[number % 10]}{number}", f"云 小{number}"
    row: dict[str, Any] = {
        "id": f"s{number}",
        "goal": [["START", film, person], [film, "导演", person]],
        "knowledge": [
            [film, "领域", "电影"],
            [film, "类型", "爱情"],
            [film, "上映 时间", f"20{number:02d}年5月1日"],
            [film, "时光网 短评", f"看 完 想 去 海边 走 {number} 走"],
            [film, "导演", person],
            [person, "领域", "明星"],
            [person, "星座", ("双鱼座", "狮子座", "天秤座")[number % 3]],
            [person, "身高", f"{150 + number}cm"],
        ],
        "conversation": [
            "你 喜欢 看 爱情 电影 吗 ？",
            "喜欢 呀 ， 有 推荐 吗 ？",
            f"{film} 不错 ， 20{number:02d}年5月1日 上映 的 。",
            ("那 我 去 看看 。", "还 没 听说 呢 。", f"{film} 好看 。", "1号 看 。")[number % 4],
            f"导演 {person} 是 双鱼座 的 。",
            "我 也 喜欢 这 位 导演 。",
            f"身高 {150 + number}cm 呢 。",
            "真 高 ， 谢谢 你 。",
        ],
    }
    return row | changes


@pytest.fixture
def sessions(tmp_path: Path) -> Make:
    """Return a maker of session files: how many sessions, what to change in all of them, the file's name."""

    def make(count: int, name: str = "sessions.jsonl", start: int = 0, **changes: Any) -> Path:
        path = tmp_path / name
        rows = [session(number, **changes) for number in range(start, start + count)]
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path

    return make
