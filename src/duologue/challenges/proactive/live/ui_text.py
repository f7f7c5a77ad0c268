"""UI text of the live partner in English and Chinese."""

from __future__ import annotations

from duologue.core import live_text

TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "welcome": (
            "The agent leads the talk from {a} ({kind_a}) to {b} ({kind_b}); you know nothing of either.\n"
            "It knows {count} facts. Answer as you like, with or without spaces; /quit or bye leaves."
        ),
        "how": "The agent begins and leads the dialogue. Answer as you like; spaces are not needed. bye leaves.",
        "goal": "goal: START -> {a} -> {b}",
        "relation": "    {subject} | {relation} | {object}",
        "plan": "plan: {a} {reached_a}, {b} {reached_b}; facts used {used} of {count}",
        "reached": "reached",
        "open": "not yet",
        "used": "used: {fact}",
        "unused": "unused: {facts}",
        "none": "none",
        "ended": "The agent has nothing more to say.",
    },
    "zh": {
        "welcome": (
            "机器人将把话题从《{a}》（{kind_a}）引向《{b}》（{kind_b}），你事先什么都不知道。\n"
            "它掌握 {count} 条知识。请随意回答，不用分词；输入 /quit 或 再见 离开。"
        ),
        "how": "机器人先说话并引导话题。请随意回答，不用分词；输入 再见 离开。",
        "goal": "目标：START -> {a} -> {b}",
        "relation": "    {subject} | {relation} | {object}",
        "plan": "计划：{a} {reached_a}，{b} {reached_b}；已用知识 {used} / {count}",
        "reached": "已提到",
        "open": "未提到",
        "used": "用到：{fact}",
        "unused": "未用：{facts}",
        "none": "无",
        "ended": "机器人没有更多要说的了。",
    },
}
"""Language -> key -> text with placeholders."""

GOODBYES = live_text.GOODBYES | {"拜拜", "88"}
"""Inputs that end the conversation."""


def phrase(lang: str, key: str, **values: object) -> str:
    """Return the text of `key` with its placeholders filled. Raises `UsageError` for an unknown language."""
    return live_text.texts_in(lang, TEXTS)[key].format(**values)
