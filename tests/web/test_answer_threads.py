from __future__ import annotations

import threading

import pytest

from duologue.web.answer_threads import AnswerThreads


def test_a_thread_is_used_again_and_waiting_work_gets_another() -> None:
    threads, let_go, seen = AnswerThreads(), threading.Event(), list[int]()

    def do(*, wait: bool) -> threading.Event:
        done = threading.Event()

        def work() -> None:
            seen.append(threading.get_ident())
            if wait:
                let_go.wait(10)
            done.set()

        threads.start(work)
        return done

    slow = do(wait=True)
    for _ in range(200):
        assert do(wait=False).wait(10)
    let_go.set()
    assert slow.wait(10)
    assert 2 <= len(set(seen)) < 20  # a thread may not be back yet when the next work comes


def test_where_no_thread_is_to_be_had_work_is_refused_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    threads, done = AnswerThreads(), list[str]()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(RuntimeError):
            threads.start(lambda: done.append("refused"))
    after = threading.Event()
    threads.start(after.set)
    assert after.wait(10)
    assert done == []
