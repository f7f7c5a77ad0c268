from __future__ import annotations

import pytest
import torch

from duologue.models.matmul import affine, matmul, multiplies_bfloat16, outer_sum, rounded


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rows", [1, 7, 8, 129, 300])
def test_products_are_those_of_torch(kind: torch.dtype, rows: int) -> None:
    torch.manual_seed(1)
    x, other, weight, bias = (torch.randn(shape).to(kind) for shape in ((rows, 5), (rows, 3), (4, 5), (4,)))
    near = 1e-5 if kind == torch.float32 else 0.5
    assert torch.allclose(affine(bias, x, weight).float(), (x.float() @ weight.float().T + bias), atol=near)
    assert torch.allclose(matmul(x, weight.T).float(), x.float() @ weight.float().T, atol=near)
    assert torch.allclose(outer_sum(x, other).float(), x.float().T @ other.float(), atol=near)


def test_there_are_few_shapes_in_bfloat16_and_none_is_changed_in_float32() -> None:
    narrow = {len(rounded(torch.zeros(rows, 1, dtype=torch.bfloat16))) for rows in range(1, 2049)}
    assert len(narrow) <= 14
    assert all(len(rounded(torch.zeros(rows, 1, dtype=torch.bfloat16))) >= rows for rows in (1, 9, 130, 2000))
    assert len(rounded(torch.zeros(131, 1))) == 131


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ({}, False),  # a torch that does not tell
        ({"_is_avx512_bf16_supported": False, "_is_amx_tile_supported": False}, False),
        ({"_is_avx512_bf16_supported": True, "_is_amx_tile_supported": False}, True),
        ({"_is_amx_tile_supported": True}, True),
    ],
)
def test_a_processor_multiplies_bfloat16_if_it_has_instructions_for_it(
    monkeypatch: pytest.MonkeyPatch, known: dict[str, bool], *, found: bool
) -> None:
    for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"):
        monkeypatch.delattr(torch.cpu, name, raising=False)
    for name, value in known.items():
        monkeypatch.setattr(torch.cpu, name, lambda value=value: value, raising=False)
    assert multiplies_bfloat16() is found
