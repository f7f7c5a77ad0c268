"""Speed and realism of the simulated users of MobileCS dialogues: the agenda-based and the trained one, on one core.

    python benchmarks/mobilecs_user.py [--seed 1] [--n 2000] [--calls 600] [--data FOLDER]

Prints dialogues per second of CPU time, turns, and success, which must be 100 % with an agent that knows all, in act
mode (without words) and in text mode; then how easily turns are told from those of generated dialogues, and of the
public ones in a folder (`mobilecs_realism.py`; the must is an AUC of .75 for generated ones). The trained user has
learned from dialogues of another seed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from duologue.challenges.mobilecs.schema.intents import acts_of
from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.challenges.mobilecs.simulator.staff_turn import piece_of
from duologue.challenges.mobilecs.simulator.trained_user import TrainedUser
from mobilecs_realism import generated, played, public, told_apart, turns_of

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


def users_of(seed: int) -> dict[str, dict[str, AgendaUser]]:
    """Return the users by name and mode."""
    begun = time.process_time()
    rows = generated(seed + 1, 900)
    made = time.process_time()
    trained = TrainedUser(rows)
    print(f"trained on {len(rows)} dialogues in {time.process_time() - made:.1f} s (made in {made - begun:.0f} s)")
    return {
        "agenda": {"act": AgendaUser(speaks=False), "text": AgendaUser()},
        "trained": {"act": TrainedUser(rows, speaks=False), "text": trained},
    }


def main() -> int:
    """Print a line per user and mode, and per comparison; return 1 where one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=2000, help="dialogues per user and mode")
    parser.add_argument("--calls", type=int, default=600, help="generated dialogues that turns are told from")
    parser.add_argument("--data", type=Path, help="folder with public dialogues in the raw form")
    chosen = parser.parse_args()
    rows, users, failed = rows_with_requests(chosen.seed), users_of(chosen.seed), 0
    for name, modes in users.items():
        for mode, user in modes.items():
            begun = time.process_time()
            ends = [play(user, rows[number % len(rows)], number, mode) for number in range(chosen.n)]
            spent = time.process_time() - begun
            right = sum(success for _, success in ends)
            failed += chosen.n - right
            turns = sum(count for count, _ in ends) / chosen.n
            speed = f"{chosen.n / spent:.0f} dialogues/s"
            print(f"{name}, {mode}: {speed}, {turns:.2f} turns, success {100 * right / chosen.n:.1f} %")
    others = {"generated": generated(chosen.seed, chosen.calls)}
    if chosen.data:
        others["public"] = public(chosen.data, chosen.seed)
    for kind, dialogues in others.items():
        for name, modes in users.items():
            simulated = [played(modes["text"], row, number) for number, row in enumerate(dialogues)]
            found = told_apart(simulated, turns_of(dialogues), chosen.seed)
            print(f"{name} user against {len(dialogues)} {kind} dialogues: AUC {found}")
            failed += kind == "generated" and found.value > 0.75
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
