from __future__ import annotations

from duologue.challenges.mobilecs.schema.ontology import DATA_SERVICES, ENTITY_TYPES
from duologue.challenges.mobilecs.simulator.catalogue import TYPE_COUNTS, make_catalogue, split_by_type


def test_a_catalogue_has_products_of_all_types_with_ids_of_their_own() -> None:
    products = make_catalogue(1, 0.4)
    assert 300 <= len(products) <= 600
    assert len({product.id for product in products}) == len(products)
    assert {kind: len(of_kind) for kind, of_kind in split_by_type(products).items()} == TYPE_COUNTS
    assert set(TYPE_COUNTS) == set(ENTITY_TYPES)
    for product in products:
        assert (product.type == "数据业务") == any(one in product.name for one in DATA_SERVICES), product


def test_a_third_of_all_names_is_never_spoken_of_in_annotated_dialogues() -> None:
    products = make_catalogue(5, 0.4)
    seen = {product.name for product in products if product.labelled}
    names = {product.name for product in products}
    assert len(names - seen) / len(names) >= 0.3


def test_another_seed_has_other_names() -> None:
    one, other = ({product.name for product in make_catalogue(seed, 0.4)} for seed in (1, 2))
    assert len(one & other) / len(one) < 0.6


def test_annotated_dialogues_speak_of_all_types_whatever_is_kept_from_them() -> None:
    for share in (0.9, 0.99, 1.0):
        products = make_catalogue(1, share)
        assert {product.type for product in products if product.labelled} == set(ENTITY_TYPES)
