"""UI text of the live partner in English and Chinese."""

from __future__ import annotations

from duologue.core.live_text import texts_in

TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "welcome": (
            "You are the customer of a mobile operator; the agent sees the knowledge base below, not your goal.\n"
            "Speak Chinese; 再见 ends the call, /quit leaves at once. Your goal:"
        ),
        "how": "You are the customer of a mobile operator. Speak Chinese; 再见 ends the call.",
        "pair-user": (
            "You are the customer, and begin. Speak Chinese, and ask for what the card says; say what you know when "
            "you are asked, and nothing that you cannot know yet."
        ),
        "pair-system": (
            "You are the staff. Answer from the knowledge base beside, in your own words and in Chinese; you end the "
            "call when the customer has no more questions."
        ),
        "wanted": "    {number}. ask for {what}",
        "known": "       what you know: {known}",
        "no-goal": "    none; ask what you like",
        "user": "your intents as understood: {acts}",
        "query": "query: {argument} -> {result}",
        "nothing": "nothing found",
        "no-query": "query: none",
        "fact": "used: {fact}",
        "outside": "from outside the call: {source}",
        "staff": "the agent's intents: {acts}",
        "progress": "goal: {met} of {count} answered; open: {open}",
        "none": "none",
        "silent": "The agent says nothing.",
    },
    "zh": {
        "welcome": (
            "你是一位手机用户，正在给客服打电话；客服能看到下面的知识库，但不知道你的目标。\n"
            "说“再见”结束通话，输入 /quit 立即离开。你的目标："
        ),
        "how": "你是一位手机用户，正在给客服打电话。说“再见”结束通话。",
        "pair-user": "您是用户，由您先开口。请按卡片上的目标提问；被问到时说出已知信息，不要说出您还不可能知道的内容。",
        "pair-system": "您是客服。请根据旁边的知识库、用自己的话回答；用户没有问题时由您结束通话。",
        "wanted": "    {number}. 询问：{what}",
        "known": "       你已知道：{known}",
        "no-goal": "    没有目标，请随意提问",
        "user": "听懂的用户意图：{acts}",
        "query": "查询：{argument} -> {result}",
        "nothing": "没有找到",
        "no-query": "查询：无",
        "fact": "用到：{fact}",
        "outside": "来自通话之外：{source}",
        "staff": "客服意图：{acts}",
        "progress": "目标：已答 {met} / {count}；未答：{open}",
        "none": "无",
        "silent": "客服没有说话。",
    },
}
"""Language -> key -> text with placeholders."""

GOODBYES = frozenset({"再见", "拜拜", "挂了", "88"})
"""Inputs, without marks at the end, that end the call after the agent's answer; `LEAVES` end it without a word."""


def phrase(lang: str, key: str, **values: object) -> str:
    """Return the text of `key` with its placeholders filled. Raises `UsageError` for an unknown language."""
    return texts_in(lang, TEXTS)[key].format(**values)
