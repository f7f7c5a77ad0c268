from __future__ import annotations

from duologue.challenges.conversation.prompts import ReplyPrompt
from duologue.challenges.conversation.schema import INFO
from duologue.core.records import Answer, Sample

SAMPLE = Sample(id="1", dialogue_id="1")


def test_a_reply_is_written_as_the_challenge_writes_its_text() -> None:
    prompt = ReplyPrompt(INFO)
    assert prompt.read("We're SORRY!\nSee https://x.example/a", SAMPLE).answer == Answer(
        text="we 're sorry ! see <URL>"
    )
    assert prompt.read(" \n", SAMPLE).answer is None
    assert prompt.empty(SAMPLE).text == "."
