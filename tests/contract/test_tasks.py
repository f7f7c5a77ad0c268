from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.plugins import names
from duologue.testing import check_task

if TYPE_CHECKING:
    from tests.contract.conftest import Tiny


@pytest.mark.parametrize("name", names("tasks"))
def test_every_registered_task_keeps_its_contract(name: str, tiny: Tiny) -> None:
    data = tiny(name)
    assert data.task.info.name == name
    check_task(data.task, data.folder)
