"""Speed of the simulated user of MobileCS dialogues in both modes, with an agent that knows all, on one core.

    python benchmarks/mobilecs_user.py [--seed 1] [--n 2000]

Prints dialogues per second of CPU time, turns, and success, which must be 100 %.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from duologue.challenges.mobilecs.schema.intents import acts_of
from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.challenges.mobilecs.simulator.staff_turn import piece_of

CALLS = 600
"""Generated calls, of which those with requests give the goals."""


def rows_with_requests(seed: int) -> list[dict[str, Any]]:
    """Return generated track 2 dialogues with something to answer."""
    generator = CallGenerator(CallCorpusRecipe(argument_rate=0.5), seed)
    rows = [row for number in range(CALLS) for row in generator.call("train", number).track2]
    return [row for row in rows if any(one.values for one in requests_of(row["goal"], row["KB"]))]


def play(user: AgendaUser, row: dict[str, Any], seed: int, mode: str) -> tuple[int, bool]:
    """Play one dialogue with an agent that answers what the user's intent asks for; return turns and success."""
    user.reset(row["goal"], row["KB"], seed)
    _, intent = user.first_utterance()
    turns = 0
    while True:
        pieces = {one: piece_of(one, row["KB"]) for act in acts_of(intent, "user") for one in act.args}
        if mode == "act":
            step = user.step("", "通知" + "".join(f"({one})" for one, said in pieces.items() if said))
        else:
            step = user.step("，".join(filter(None, pieces.values())) or "您请讲")
        turns += 1
        if step.done:
            return turns, not step.info.open
        intent = step.intent


def main() -> int:
    """Print a line per mode; return 1 where a dialogue failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=2000, help="dialogues per mode")
    chosen = parser.parse_args()
    rows, user, failed = rows_with_requests(chosen.seed), AgendaUser(), 0
    for mode in ("act", "text"):
        begun = time.process_time()
        played = [play(user, rows[number % len(rows)], number, mode) for number in range(chosen.n)]
        spent = time.process_time() - begun
        right = sum(success for _, success in played)
        failed += chosen.n - right
        turns = sum(count for count, _ in played) / chosen.n
        print(f"{mode}: {chosen.n / spent:.0f} dialogues/s, {turns:.2f} turns, success {100 * right / chosen.n:.1f} %")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
