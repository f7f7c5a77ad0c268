from __future__ import annotations

import pytest

from duologue.challenges.conversation.prompts import ReplyPrompt
from duologue.challenges.conversation.schema import INFO
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Sample
from duologue.knowledge.base import KnowledgeBase

SAMPLE = Sample(id="1", dialogue_id="1")


def test_a_reply_is_written_as_the_challenge_writes_its_text() -> None:
    prompt = ReplyPrompt(INFO)
    assert prompt.read("We're SORRY!\nSee https://x.example/a", SAMPLE).answer == Answer(
        text="we 're sorry ! see <URL>"
    )
    assert prompt.read(" \n", SAMPLE).answer is None
    assert prompt.empty(SAMPLE).text == "."


def test_knowledge_that_no_prompt_tells_is_refused() -> None:
    prompt = ReplyPrompt(INFO)
    prompt.prepare({})
    with pytest.raises(UsageError, match=r"'conversation en .*looks nothing up"):
        prompt.prepare({"faq.txt": KnowledgeBase("faq.txt", [])})
