from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text, TextEdit

MARK = SpanMark(0, "业务费用", is_mention=False)


def told(text: Text) -> list[str]:
    return [text.text[start:end] for start, end, _ in text.spans]


def test_added_texts_keep_their_spans() -> None:
    text = Text("我办了")
    text.add(Text("十八块钱", MARK))
    text.add(Text("的套餐"))
    assert (text.text, told(text)) == ("我办了十八块钱的套餐", ["十八块钱"])
    assert told(text.marked(SpanMark(0, "套餐", is_mention=True))) == ["我办了十八块钱的套餐", "十八块钱"]


def test_what_is_inserted_at_an_end_stays_outside_and_what_replaces_is_inside() -> None:
    text = Text("十八块钱", MARK)
    text.edit([TextEdit(0, 0, "嗯"), TextEdit(4, 4, "啊"), TextEdit(2, 2, "_"), TextEdit(1, 2, "吧")])
    assert (text.text, told(text)) == ("嗯十吧_块钱啊", ["十吧_块钱"])


def test_a_cut_span_is_shorter_and_an_emptied_one_is_gone() -> None:
    text = Text("")
    for piece in ("十八", "块钱"):
        text.add(Text(piece, MARK))
    text.edit([TextEdit(0, 3, "")])
    assert (text.text, told(text)) == ("钱", ["钱"])


@given(st.text("abcdef", min_size=1, max_size=12), st.data())
def test_untouched_spans_have_their_text_after_any_edits(letters: str, data: st.DataObject) -> None:
    place = st.integers(0, len(letters))
    first, last = sorted((data.draw(place), data.draw(place)))
    text = Text(letters)
    text.spans = [(first, last, MARK)] if first < last else []
    drawn = data.draw(st.lists(st.tuples(place, place, st.text("XY", max_size=3)), max_size=4))
    edits = [TextEdit(min(a, b), max(a, b), new) for a, b, new in drawn]
    touching = [one for one in edits if one.start < last and one.end > first]
    text.edit(edits)
    for start, end, _ in text.spans:
        assert 0 <= start < end <= len(text.text)
    if first < last and not touching:
        assert told(text) == [letters[first:last]]
