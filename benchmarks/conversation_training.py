"""How fast the baseline of 2017 learns at its published size, and what narrower products do to its loss.

    python benchmarks/conversation_training.py --text TRAIN.txt --held-out DEV.txt [--before OLD/src] [--write]

Speed: steps of the training loop on made-up dialogues with the lengths and the vocabulary of the official training
data, for each setting in a process of its own, the settings by turns. `--before` names the sources of another version
(a worktree of an older commit), whose steps are measured by the same program. Loss: `duologue train --system lstm` on
dialogue text, one seed per pair of trainings. The page is `CONVERSATION_TRAINING.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from duologue.challenges.conversation.systems.lstm import lstm
from duologue.challenges.conversation.systems.lstm.lstm import LstmBaseline, LstmRecipe
from duologue.core.disk import write_text
from duologue.core.recipe import resolve

PAGE = Path(__file__).with_name("CONVERSATION_TRAINING.md")
DIALOGUES, UTTERANCES, WORDS = 888_201, 2_157_389, 40_073_702
"""Of the official training data (specification, section 2.5)."""
EPOCHS, BATCH = 20, 100
_ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Setting(NamedTuple):
    """One way to train."""

    name: str
    precision: str = "float32"
    devices: int = 1
    is_before: bool = False


SETTINGS = (
    Setting("before", is_before=True),
    Setting("float32"),
    Setting("bfloat16", "bfloat16"),
    Setting("bfloat16, 2 processes", "bfloat16", 2),
)


def dialogues(count: int, seed: int = 1) -> list[list[tuple[list[int], list[int]]]]:
    """Return token ids of exchanges with the official means: 2.43 utterances a dialogue, 18.6 words an utterance."""
    rng = random.Random(seed)
    more = 1 - 2 * DIALOGUES / UTTERANCES  # chance of another exchange

    def utterance() -> list[int]:
        length = max(1, min(60, round(rng.lognormvariate(2.78, 0.55))))
        return [min(20_001, 4 + int(19_998 * rng.random() ** 6)) for _ in range(length)]

    found = []
    for _ in range(count):
        talk = [(utterance(), utterance())]
        while rng.random() < more:
            talk.append((utterance(), utterance()))
        found.append(talk)
    return found


def measure(steps: int, precision: Any, devices: int) -> dict[str, float]:
    """Train for some steps in this process, with the sources that Python finds; return costs and words."""
    from duologue.challenges.conversation.systems.lstm.network.beam_search import new_encoder_decoder, training_subject
    from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import EncodedTurn, EncoderDecoderConfig
    from duologue.core.protocols import Run
    from duologue.models.train import TrainConfig, train

    made = [[EncodedTurn(tuple(a), tuple(b)) for a, b in one] for one in dialogues(steps * BATCH)]
    model = new_encoder_decoder(EncoderDecoderConfig(), 1)
    subject = training_subject(model) if precision == "float32" else training_subject(model, precision)
    recipe = resolve(LstmRecipe, file=Path(lstm.__file__).parent / "recipes" / "lstm-published.toml")
    given = {"choose": "loss", **LstmBaseline.fixed_config, "epochs": 1, "devices": devices}
    config = TrainConfig.of(recipe, **given)
    with tempfile.TemporaryDirectory() as folder:
        before = _cpu()
        train(subject, made, made[:1], config, Run(folder=Path(folder), seed=1))
        log = json.loads(Path(folder, "training.jsonl").read_text(encoding="utf-8").splitlines()[-1])
        spent = _cpu() - before
    return {"cpu": spent, "wall": log["seconds"], "words": sum(len(a) + len(b) for one in made for a, b in one)}


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def speeds(before: Path | None, steps: int, rounds: int) -> dict[str, dict[str, float]]:
    """Return the costs of each setting, medians of rounds in which all take turns.

    Each is measured with two numbers of steps, and what starting costs goes out of their difference.
    """
    found: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for one in SETTINGS:
            if one.is_before and before is None:
                continue
            source = before if one.is_before else Path(lstm.__file__).parents[5]
            environment = {**os.environ, **_ONE, "PYTHONPATH": str(source)}
            costs = []
            for count in (2, 2 + steps):
                words = (sys.executable, __file__, "--measure", str(count), one.precision, str(one.devices))
                done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)
                costs.append(json.loads(done.stdout.splitlines()[-1]))
            found.setdefault(one.name, []).append({name: costs[1][name] - costs[0][name] for name in costs[0]})
            print(one.name, found[one.name][-1], flush=True)
    return {name: {key: _median([one[key] for one in each]) for key in each[0]} for name, each in found.items()}


def _median(numbers: list[float]) -> float:
    return sorted(numbers)[len(numbers) // 2]


def losses(text: Path, held_out: Path, work: Path, seeds: int) -> list[list[Any]]:
    """Return a row for each seed and number of steps: the losses of both precisions on held-out dialogues."""
    rows = []
    settings = ("epochs=1", "repeats=1", "max_dialogues=4800", "check_every=100")
    for seed in range(1, seeds + 1):
        logs = []
        for precision in ("float32", "bfloat16"):
            out = work / f"lstm-small-{seed}-{precision}"
            chosen = [word for one in (*settings, f"precision={precision}") for word in ("--set", one)]
            command = ("train", "conversation", "--system", "lstm", "--recipe", "lstm-small", "--train", text)
            words = (*command, "--held-out", held_out, "--seed", seed, "--quiet", *chosen, "--out", out)
            program = Path(sys.executable).with_name("duologue")
            if not (out / "system.toml").is_file():
                subprocess.run([program, *map(str, words)], check=True, env={**os.environ, **_ONE})
            logs.append([json.loads(line) for line in (out / "training.jsonl").read_text("utf-8").splitlines()])
        rows += [[seed, a["step"], a["held_out_loss"], b["held_out_loss"]] for a, b in zip(*logs, strict=True)]
    return rows


def page(told: dict[str, Any]) -> str:
    """Return the page of what was measured."""
    found, rows = told["speeds"], told["losses"]
    first = next(iter(found.values()))
    slow = first["cpu"] / first["words"]
    lines = [
        _HEAD,
        "| setting | words a processor second | factor | processor days | words a second, idle cores | factor | days |",
        "|---|---|---|---|---|---|---|",
    ]
    processes = {one.name: one.devices for one in SETTINGS}
    for name, one in found.items():
        each = one["cpu"] / one["words"]
        cells = [
            f"{1 / seconds:,.0f} | {slow / seconds:.2f} | {seconds * WORDS * EPOCHS / 86_400:.1f}"
            for seconds in (each, each / processes[name])
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", _LOSS, "| seed | steps | float32 | bfloat16 | difference |", "|---|---|---|---|---|"]
    for seed, step, one, two in rows:
        lines.append(f"| {seed} | {step} | {one:.4f} | {two:.4f} | {two - one:+.4f} |")
    lines += ["", _gpu()]
    return "\n".join(lines) + "\n"


def _gpu() -> str:
    """Return the estimate for one GPU, from counted arithmetic and counted kernels."""
    e, h, v = 100, 512, 20_002
    stack = 4 * h * (e + h) + 4 * h * 2 * h
    per_word = 6 * (stack + (h * e + e * v) / 2)  # forward and backward; every second word is asked for
    total = per_word * WORDS * EPOCHS
    steps = DIALOGUES / BATCH * EPOCHS
    kernels = 2 * 2 * 40 * 25  # encoder and decoder, two layers, the longest utterance of a batch, calls of a step
    hours = (total / 30e12 / 3600, steps * kernels * 10e-6 / 3600)
    return _GPU.format(
        flop=per_word / 1e6, total=total / 1e15, arithmetic=hours[0], kernels=kernels, steps=steps, launching=hours[1]
    )


def main() -> None:
    """Read the arguments, measure, write or print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, help="dialogue text to learn from")
    parser.add_argument("--held-out", type=Path, help="dialogue text that is judged")
    parser.add_argument("--before", type=Path, help="the sources (`src`) of another version")
    parser.add_argument("--work", type=Path, default=Path("workspace/training"))
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=2, help="pairs of trainings")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        steps, precision, devices = given.measure
        print(json.dumps(measure(int(steps), precision, int(devices))))
        return
    if given.text is None or given.held_out is None:
        parser.error("--text and --held-out are needed")
    kept = given.work / "measured.json"
    told = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    if "speeds" not in told:
        told["speeds"] = speeds(given.before, given.steps, given.rounds)
        write_text(kept, json.dumps(told))
    if "losses" not in told:
        told["losses"] = losses(given.text, given.held_out, given.work, given.seeds)
        write_text(kept, json.dumps(told))
    text = page(told)
    if given.write:
        write_text(PAGE, text)
    print(text)


_HEAD = """# Training the baseline at its published size

Made by `python benchmarks/conversation_training.py --text TRAIN.txt --held-out DEV.txt --before OLD/src --write`,
where TRAIN and DEV are the parts of `chats` of [CONVERSATION_PILOT.md](CONVERSATION_PILOT.md) (of DEV 500 pairs), and
OLD is a worktree of the commit before (`1fab4770`). `lstm` at its published size: 12.8 million weights, a vocabulary
of 20,002 words, 100 dialogues a step, dropout .5, Adam.

## Steps

The training loop with the published recipe, on made-up dialogues that have the lengths of the official training data
(2.43 utterances a dialogue, 18.6 words an utterance). One thread a process; ten steps of each setting in each of three
rounds (`--steps 10 --rounds 3`; medians), the settings by turns, on a machine that had much other work to do: processor
seconds, and what follows from them on idle cores.
Words are those of both sides. The official training reads 40.07 million words 20 times.
"""
_LOSS = """What is faster, and what is not used:

* `before` went through each step of the layers with autograd; now the way back through time is written by hand, gates
  are kept for it, and rows of products are rounded up without copying them. With float32 that gains little: four
  fifths of a step were matrix products at the full speed of the processor, and are now.
* `precision=bfloat16` makes these products in half the bits. The processor of this table (AMD, AVX-512 with bfloat16,
  no matrix units) does 2.2 times as many a second so (200 against 90 GFLOP/s, 2,048 x 512 by 512 x 2,048, timed by
  hand); one with matrix units (AMX) does more. The best word of each row, which training never asks for, is not looked
  for any more, and the softmax is one pass.
* The logits of 256 rows, 20 MB, lie over those of the rows before, and a step of a layer copies less. Before, each came
  in fresh pages of the system: with bfloat16 a third of the loss's time, a tenth of a step's.
* `devices=2` shares the dialogues of a step between two processes; on idle cores the time is half of what they take
  together. Small products and a second copy of the optimiser's work cost some of it. Wall times of this busy machine
  would say nothing.
* Batches were bucketed by turns and length, and steps packed without padding, before. Compiled steps would fuse what
  stands between the products, a quarter of the time, and are not used: shapes differ from step to step.
* Sampled or adaptive softmax is not used: the published program takes the loss over the whole vocabulary, and both
  change what is learned. The loss over the vocabulary is about a quarter of a step in bfloat16.

## Loss at equal words

Held-out loss of `duologue train conversation --system lstm` with the small recipe (hidden size 192, 6,000
words), the same seed, dialogues and order, one pass of 4,800 pairs. The published size was not trained that far.
"""
_GPU = """## One GPU, estimated

No GPU was at hand; nothing here was measured. A word takes {flop:.0f} million operations (forward and backward; every
second word is asked for), the official training {total:.0f} x 10^15. At 30 TFLOP/s, a tenth of what a large GPU has
on paper for bfloat16, that is {arithmetic:.1f} hours. The layers are gone through step by step, though, in about
{kernels:,} calls for each of {steps:,.0f} batches; at 10 microseconds a call that is {launching:.1f} hours. The
second bound is the one that counts: some hours, not days, and less with a fused LSTM of the library (cuDNN), which
this program does not call."""


if __name__ == "__main__":
    main()
