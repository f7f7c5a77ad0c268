"""Interface text of the live partner, in English and Chinese."""

from __future__ import annotations

from duologue.core import live_text

UI_TEXT: dict[str, dict[str, str]] = {
    "en": {
        "welcome": (
            "The graph {name} holds {facts:,} facts of {entities:,} entities. Ask in Chinese.\n"
            "/noise on makes your words noisy as a recogniser would, /noise off leaves them; /quit or bye leaves."
        ),
        "noise-on": "Your words are now heard as a recogniser writes them.",
        "noise-off": "Your words are now heard as you write them.",
        "noise-how": "Say /noise on or /noise off.",
        "heard": "heard: {text}",
        "entity": "entity: {entity}",
        "query": "query: {query}",
        "fact": "triple: {fact}",
        "none": "no knowledge wanted",
        "silent": "The system says nothing.",
    },
    "zh": {
        "welcome": (
            "知识图谱 {name}：{entities:,} 个实体，{facts:,} 条三元组。请用中文提问。\n"
            "/noise on 让你的话带上语音识别的噪声，/noise off 关闭；输入 /quit 或 再见 离开。"
        ),
        "noise-on": "从现在起，你的话会带上语音识别的噪声。",
        "noise-off": "从现在起，你的话原样传给系统。",
        "noise-how": "请输入 /noise on 或 /noise off。",
        "heard": "听到：{text}",
        "entity": "实体：{entity}",
        "query": "查询：{query}",
        "fact": "三元组：{fact}",
        "none": "不需要知识",
        "silent": "系统没有回答。",
    },
}
"""By language and key: the text; names in braces are filled in."""

GOODBYES = live_text.GOODBYES | {"拜拜", "88"}
"""Inputs that end the dialogue."""
