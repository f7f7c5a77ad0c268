"""Bounded numbers for the entries of recipes; a value outside is refused when the recipe is read."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

Positive = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
Stacked = Annotated[int, Meta(ge=1, le=256)]
"""Layers of a network, or networks that vote: all are built before their weights are looked for."""
Threads = Annotated[int, Meta(ge=1, le=1024)]
"""Threads of a process; libraries fall over where they are asked for a hundred thousand."""
MAX_PROCESSES = 256
Processes = Annotated[int, Meta(ge=1, le=MAX_PROCESSES)]
"""Processes of a work: all are started, and each takes some tens of megabytes before it does anything."""
Calls = Annotated[int, Meta(ge=1, le=1024)]
"""Calls of a server at the same time: each has a thread and a connection."""
TOLD_TOKENS_LIMIT = 1 << 40
ToldTokens = Annotated[int, Meta(ge=0, lt=TOLD_TOKENS_LIMIT)]
"""Tokens that a server or a recording tells of one call."""
Tokens = Annotated[int, Meta(ge=1, le=10**9)]
"""Tokens of a text; more are in none, and larger integers may have no float to reckon a price with."""
Items = Annotated[int, Meta(ge=0, le=10**15)]
"""Items that were counted; more are in no file, and larger integers may have no float to take a share of."""
PositiveFloat = Annotated[float, Meta(gt=0)]
NonNegative = Annotated[float, Meta(ge=0)]
Weight = Annotated[float, Meta(ge=0, le=1e9)]
"""How likely something is beside others: the sum of some weights is a number, and each is more than nothing in it."""
Slope = Annotated[float, Meta(ge=-1e9, le=1e9)]
"""What a feature of a linear model counts, for or against: some of them still have a sum."""
Rows = Annotated[int, Meta(ge=0, le=10**12)]
"""Rows of a file that is made; shares of them are reckoned as floats, and no disk holds more."""
PositiveRows = Annotated[int, Meta(ge=1, le=10**12)]
"""The same where there is at least one."""
_DAY_AND_MORE = 1e5
Seconds = Annotated[float, Meta(ge=0, le=_DAY_AND_MORE)]
"""A time to wait, or none: the system's clocks and sockets take no longer ones than some weeks."""
Milliseconds = Annotated[float, Meta(ge=0, le=1000 * _DAY_AND_MORE)]
"""A time that a call took."""
PositiveSeconds = Annotated[float, Meta(gt=0, le=_DAY_AND_MORE)]
"""A time to wait that is not nothing."""
Waited = Annotated[int, Meta(ge=1, le=10**9)]
"""Seconds that something is kept for somebody: times with so many more lie before the year 10000."""
Probability = Annotated[float, Meta(ge=0, le=1)]
"""A probability, or a share from nothing to all."""
ProperFraction = Annotated[float, Meta(gt=0, lt=1)]
"""A share strictly between nothing and all."""
Dropout = Annotated[float, Meta(ge=0, lt=1)]
"""A share that may be nothing, never all."""
