"""Noise for tasks whose users would speak: what most of them do alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from duologue.core.optional_protocols import NoiseModel
from duologue.text.noise.speech_channel import KINDS, SpeechChannel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.records import Example
    from duologue.text.noise.spoken_language import SpokenLanguage

OWN = "speech noise of our own, fitted to no challenge's data"
"""What is said of it beside figures."""


class SpokenUsers(NoiseModel):
    """A task on whose users' turns the noise of speech can be laid."""

    regimes: tuple[str, ...] = ("user",)
    noises: Mapping[str, str] = dict.fromkeys(KINDS, OWN)
    usual_noises: tuple[str, ...] = KINDS
    labels_move = False

    @abstractmethod
    def spoken_language(self) -> SpokenLanguage:
        """Return what its users speak."""

    @abstractmethod
    def lay_noise(self, path: Path, out: Path, regime: str, channel: SpeechChannel) -> int:
        """Write a data file with noise; return how many utterances changed."""

    def write_noisy(self, path: Path, out: Path, *, regime: str, seed: int, strengths: Mapping[str, float]) -> int:
        """Write a data file with noise on the turns of a regime; return how many utterances changed."""
        return self.lay_noise(path, out, regime, SpeechChannel(self.spoken_language(), seed, strengths))

    def noisy_examples(
        self, examples: Sequence[Example], *, seed: int, strengths: Mapping[str, float]
    ) -> list[Example]:
        """Return examples with noise on the user's turns of their histories."""
        channel = SpeechChannel(self.spoken_language(), seed, strengths)
        return [channel.example(example) for example in examples]
