"""Steps of autograd that are written by hand, as functions with their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class AutogradStep(Protocol[P, R_co]):
    """A subclass of `torch.autograd.Function`."""

    @staticmethod
    def forward(ctx: Any, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Return what the step makes of its arguments."""
        ...

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the same, and keep what the way back needs."""
        ...


def as_function(step: type[AutogradStep[P, R_co]]) -> Callable[P, R_co]:
    """Return `apply` of a step with the types of its `forward`, which torch leaves out."""
    return step.apply
