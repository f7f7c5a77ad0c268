"""Domain files: TOML that describes what is booked, read with all problems at once, and written for a corpus.

A file names no program and no class. The only files it may name are its knowledge bases, by their bare names, in its
own folder.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.restaurant.formats.domain_reader import DomainReader
from duologue.core import disk
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.recipe import read_toml

if TYPE_CHECKING:
    from duologue.challenges.restaurant.schema.domain import Domain
    from duologue.challenges.restaurant.schema.templates import RequestSlot

SHIPPED = ("cinema", "hotel")
"""Names of the domains that come along."""
ENDING = ".toml"
"""How a domain file's name ends."""


def open_domain(name: str) -> Domain:
    """Return a shipped domain by its name, or that of a file. Raises `UsageError`, and what `read_domain` raises."""
    if name in SHIPPED:
        return read_domain(shipped_path(name))
    if not name.endswith(ENDING):
        raise UsageError(
            f"'{name}' is no domain{did_you_mean(name, SHIPPED)}; give {' or '.join(SHIPPED)}, or the path of a "
            f"domain file, which ends in {ENDING}"
        )
    return read_domain(Path(name))


def shipped_path(name: str) -> Path:
    """Return the file of a shipped domain."""
    return Path(str(resources.files("duologue.challenges.restaurant").joinpath("domains", f"{name}{ENDING}")))


def read_domain(path: Path) -> Domain:
    """Read a domain file. Raises `FormatError` with all its problems, `StorageError` when it cannot be read."""
    reader = DomainReader(read_toml(path), path.parent)
    domain = reader.read()
    if domain is None or reader.problems:
        raise FormatError(path, reader.problems)
    return domain


def write_domain(domain: Domain, path: Path, kb: int, kb_name: str) -> None:
    """Write a domain whose only knowledge base is number `kb` of it, in the file `kb_name` beside it."""
    import tomli_w  # only writers need it

    values = domain.values if kb == 1 else domain.other_values
    policy = {key: value for key, value in msgspec.structs.asdict(domain.policy).items() if value is not None}
    table: dict[str, Any] = {"name": domain.name, "thing": domain.thing, "kb": kb_name}
    if domain.keywords:
        table["keywords"] = list(domain.keywords)
    if domain.unseen is not None:
        table["unseen"] = domain.unseen.name
    table["wording"] = {key: list(texts) for key, texts in msgspec.structs.asdict(domain.wording).items()}
    if policy:
        table["policy"] = {key: list(one) if isinstance(one, tuple) else one for key, one in policy.items()}
    table["slots"] = [_slot_table(slot, values[slot.name]) for slot in domain.all_slots]
    disk.write_text(path, tomli_w.dumps(table))


def _slot_table(slot: RequestSlot, values: tuple[str, ...]) -> dict[str, Any]:
    return {
        "name": slot.name,
        "question": slot.question,
        "phrases": list(slot.phrases),
        "answers": [one.text for one in slot.answers],
        "hedges": [{"text": one.text, "draw": one.draw, "weight": one.weight} for one in slot.hedges],
        "values": list(values),
    }
