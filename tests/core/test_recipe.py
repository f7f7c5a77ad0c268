from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.recipe import (
    dump,
    expected,
    from_table,
    read_toml,
    recipe_hash,
    resolve,
    to_overrides,
    to_table,
)
from duologue.core.records import Record
from tests.strategies import names, words

if TYPE_CHECKING:
    from pathlib import Path


class Net(Record, frozen=True):
    width: Annotated[int, msgspec.Meta(ge=1, le=512)] = 64
    depth: int = 2
    rates: tuple[float, ...] = (0.1,)


class Trainer(Record, frozen=True):
    regime: Literal["closed", "open"] = "closed"
    net: Net = Net(depth=9)
    other: Net | None = None
    name: str | None = None
    fast: bool = False
    weights: dict[str, float] = msgspec.field(default_factory=lambda: {"a": 1.0})
    rooms: Annotated[tuple[Net, ...], msgspec.Meta(max_length=2)] = ()


class Loose(Record, frozen=True):
    extra: dict[str, Any] = msgspec.field(default_factory=lambda: {"a": {"b": 1}})
    rows: tuple[Any, ...] = ()


class Strict(Record, frozen=True):
    where: str
    low: int = 0
    high: int = 10

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low must not be above high, found {self.low} and {self.high}")


class Named(Record, frozen=True):
    name: str

    def __post_init__(self) -> None:
        raise ValueError(f"'{self.name}' is taken")


class Decoding(Record, frozen=True):
    former_names: ClassVar[dict[str, str]] = {"mass": "top_p"}
    top_p: float = 0.9


class Outer(Record, frozen=True):
    replies: Decoding = Decoding()


def refusal(kind: type[Record], *overrides: str) -> str:
    with pytest.raises(UsageError) as caught:
        resolve(kind, overrides=overrides)
    return str(caught.value)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recipe") / "recipe.toml"


def test_nothing_given_gives_the_defaults() -> None:
    assert resolve(Trainer) == Trainer()


def test_a_bare_word_is_a_string_and_other_values_are_toml() -> None:
    recipe = resolve(Trainer, overrides=["regime=open", "fast=true", "net.rates=[1, 2.5]", 'name="7"'])
    assert recipe == Trainer(regime="open", fast=True, net=Net(depth=9, rates=(1.0, 2.5)), name="7")


def test_an_override_of_one_nested_field_keeps_the_default_of_its_neighbours() -> None:
    assert resolve(Trainer, overrides=["net.width=8"]).net == Net(width=8, depth=9)


def test_an_override_reaches_into_a_record_that_is_absent_by_default() -> None:
    assert resolve(Trainer, overrides=["other.depth=3"]).other == Net(depth=3)


def test_an_override_sets_one_key_of_a_dict() -> None:
    assert resolve(Trainer, overrides=["weights.b=2"]).weights == {"a": 1.0, "b": 2.0}


def test_later_layers_win_over_earlier_ones(tmp_path: Path) -> None:
    file = write(tmp_path / "recipe.toml", 'name = "file"\n[net]\nwidth = 5\ndepth = 5\n')
    base = Trainer(name="base", fast=True, net=Net(rates=(0.5,)))
    recipe = resolve(Trainer, file=file, base=base, overrides=["net.depth=6", "net.depth=7"])
    assert recipe == Trainer(name="file", fast=True, net=Net(width=5, depth=7, rates=(0.5,)))


def test_a_value_with_a_line_break_cannot_smuggle_in_a_second_key() -> None:
    assert resolve(Trainer, overrides=["name=7\nfast=true"]) == Trainer(name="7\nfast=true")


def test_a_table_as_overrides_is_spelled_as_a_person_would() -> None:
    table = {"fast": True, "net": {"width": 5, "rates": [0.5, 1]}, "rooms": [{"width": 7}], "weights": {"a b": 2.0}}
    overrides = to_overrides(table)
    assert overrides[:3] == ["fast=true", "net.width=5", "net.rates=[0.5, 1]"]
    assert overrides[3:] == ['rooms=[{"width" = 7}]', 'weights={"a b" = 2.0}']
    assert resolve(Trainer, overrides=overrides) == from_table(Trainer, table, "here")


@given(
    st.dictionaries(
        words,
        st.recursive(
            st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | words,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | names, inner, max_size=3),
            max_leaves=6,
        ),
        max_size=3,
    )
)
def test_a_table_as_overrides_makes_the_same_recipe(extra: dict[str, Any]) -> None:
    table = {"extra": extra, "rows": [extra, [extra]]}
    assert resolve(Loose, overrides=to_overrides(table)) == from_table(Loose, table, "here")


def test_a_date_is_a_bare_word() -> None:
    assert resolve(Trainer, overrides=["name=2024-01-01"]).name == "2024-01-01"


def test_an_unknown_key_is_named_with_its_place_and_a_near_miss(tmp_path: Path) -> None:
    assert refusal(Trainer, "regme=open") == "--set regme=open: unknown key 'regme'; did you mean 'regime'?"
    assert refusal(Trainer, "net.widht=1").endswith("unknown key 'net.widht'; did you mean 'net.width'?")
    file = write(tmp_path / "recipe.toml", "[othr]\nwidth = 1\n")
    with pytest.raises(UsageError, match=r"recipe\.toml: unknown key 'othr'; did you mean 'other'\?"):
        resolve(Trainer, file=file)


class One(Record, frozen=True, tag=True):
    width: int = 1


class Other(Record, frozen=True, tag=True):
    height: int = 1


class Either(Record, frozen=True):
    part: One | Other | None = None


def test_keys_of_one_of_several_records_are_those_of_the_one_that_is_meant(tmp_path: Path) -> None:
    file = write(tmp_path / "recipe.toml", '[part]\ntype = "Other"\nheight = 2\n')
    assert resolve(Either, file=file).part == Other(height=2)


def test_a_renamed_key_is_named_with_its_new_name() -> None:
    assert refusal(Outer, "replies.mass=0.5").endswith("'replies.mass' is now called 'replies.top_p'; rename it")
    assert refusal(Decoding, "mass=0.5").endswith("'mass' is now called 'top_p'; rename it")


def test_a_key_that_is_one_floor_down_is_suggested_with_its_full_name() -> None:
    assert refusal(Trainer, "width=3").endswith("unknown key 'width'; did you mean 'net.width'?")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("net.width=x", "net.width: expected int, found 'x'"),
        ("net.width=0", "net.width: expected int >= 1, found 0"),
        ("net.width=513", "net.width: expected int <= 512, found 513"),
        ("net.width=1.5", "net.width: expected int, found 1.5"),
        ("net=3", "net: expected a table of settings, found 3"),
        ("net.width.x=3", "net.width: expected int, found {'x': 3}"),
        ("fast=yes", "fast: expected bool, found 'yes'; TOML writes true or false"),
        ("fast=5", "fast: expected bool, found 5"),
        ("net.width=yes", "net.width: expected int, found 'yes'"),
        ("name=5", "name: expected str, found 5; put it in quotes: '\"5\"'"),
        ("name=false", "name: expected str, found False; put it in quotes: '\"false\"'"),
        ("regime=opne", "regime: expected 'closed' or 'open', found 'opne'; did you mean 'open'?"),
        ("regime=7", "regime: expected 'closed' or 'open', found 7"),
        ("weights.b=q", "weights.b: expected float, found 'q'"),
        ("net.rates=[1, nan]", "net.rates[1]: expected a number, found nan"),
        ("net.rates=[1, -inf]", "net.rates[1]: expected a number, found -inf"),
        ("net.rates=[1e400]", "net.rates[0]: expected a number, found inf"),
        ("rooms=[{}, {}, {}]", "rooms: expected a list of length <= 2, found [{}, {}, {}]"),
        ("rooms=[{width=0}]", "rooms[0].width: expected int >= 1, found 0"),
        ("net.rates=[1", "the value is not valid TOML: Unclosed array (at end of document)"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected_and_found(override: str, message: str) -> None:
    assert refusal(Trainer, override) == f"--set {override}: {message}"


@pytest.mark.parametrize("override", ["fast", "=3", "a b=3", ".a=1", "a..b=1"])
def test_an_override_that_is_no_assignment_is_refused(override: str) -> None:
    assert "expected key=value" in refusal(Trainer, override)


def test_all_problems_are_said_at_once(tmp_path: Path) -> None:
    file = write(tmp_path / "recipe.toml", "net = 3\nfats = true\n")
    with pytest.raises(UsageError) as caught:
        resolve(Trainer, file=file, overrides=["regime=x", "nme=2", "fast"])
    lines = str(caught.value).splitlines()
    assert lines[0] == "the recipe has 5 problems:"
    assert [sum(part in line for line in lines) for part in ("net:", "'fats'", "regime:", "'nme'", "key=value")] == [
        1
    ] * 5


def test_a_missing_value_is_named() -> None:
    assert refusal(Strict) == "the recipe: 'where' is missing; set it, for example with --set where=VALUE"
    assert resolve(Strict, overrides=["where=here"]) == Strict(where="here")


def test_what_is_missing_in_a_file_that_is_no_recipe_is_not_to_be_set_by_an_option() -> None:
    with pytest.raises(UsageError, match=r"^track\.toml: 'where' is missing$"):
        from_table(Strict, {}, "track.toml")
    with pytest.raises(UsageError, match=r"^track\.toml has 2 problems:\n  track\.toml: unknown key 'a'"):
        from_table(Strict, {"a": 1, "b": 2}, "track.toml")


def test_what_the_record_itself_refuses_is_said_without_a_traceback() -> None:
    message = refusal(Strict, "where=here", "low=11")
    assert message == "low must not be above high, found 11 and 10"


def test_a_value_that_looks_like_the_place_of_a_mistake_is_told_as_it_is() -> None:
    assert refusal(Named, 'name=" - at `$x"') == "' - at $x' is taken"


def test_a_file_that_is_not_toml_says_so(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not valid TOML"):
        resolve(Trainer, file=write(tmp_path / "recipe.toml", "regime = open\n"))


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000])
def test_an_integer_of_thousands_of_digits_says_so(tmp_path: Path, number: str) -> None:
    with pytest.raises(FormatError, match=r"not valid TOML: .* digits"):
        resolve(Trainer, file=write(tmp_path / "recipe.toml", f"seed = {number}\n"))
    assert "expected int, found" in refusal(Trainer, f"net.width={number}")
    assert "not valid TOML" in refusal(Trainer, f"net.rates=[{number}]")


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such file"):
        resolve(Trainer, file=tmp_path / "recipe.toml")


def test_windows_line_ends_and_a_byte_order_mark_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "x"\r\n[net]\r\nwidth = 3\r\n')
    assert read_toml(path) == {"name": "x", "net": {"width": 3}}


def test_a_table_from_elsewhere_is_checked_under_its_name() -> None:
    assert from_table(Net, {"width": 3}, "card") == Net(width=3)
    with pytest.raises(UsageError, match="card: unknown key 'wide'"):
        from_table(Net, {"wide": 3}, "card")


def test_an_absent_value_is_left_out_of_the_table() -> None:
    assert "other" not in to_table(Trainer())
    assert to_table(Net()) == {"width": 64, "depth": 2, "rates": [0.1]}


def test_none_in_place_of_a_default_cannot_be_dumped() -> None:
    class Odd(Record, frozen=True):
        name: str | None = "x"

    with pytest.raises(TypeError, match="name is None and its default is not"):
        dump(Odd(name=None))


def test_a_layer_never_changes_the_defaults() -> None:
    resolve(Trainer, overrides=["weights.b=2", "net.width=1"])
    assert resolve(Trainer) == Trainer()


numbers = st.floats(allow_nan=False, allow_infinity=False)
nets = st.builds(Net, width=st.integers(1, 512), depth=st.integers(-(2**53), 2**53), rates=st.tuples(numbers, numbers))
trainers = st.builds(
    Trainer,
    regime=st.sampled_from(["closed", "open"]),
    net=nets,
    other=st.none() | nets,
    name=st.none() | words,
    fast=st.booleans(),
    weights=st.dictionaries(names | words, numbers, max_size=3).map(lambda more: {"a": 0.0, **more}),
    rooms=st.lists(nets, max_size=2).map(tuple),
)


@settings(max_examples=40)
@given(recipe=trainers)
def test_a_dumped_recipe_is_read_back_equal(recipe: Trainer, scratch: Path) -> None:
    scratch.write_bytes(dump(recipe).encode("utf-8"))
    assert resolve(Trainer, file=scratch) == recipe
    assert from_table(Trainer, to_table(recipe), "table") == recipe
    assert resolve(Trainer, base=recipe) == recipe


@settings(max_examples=40)
@given(one=trainers, other=trainers)
def test_equal_recipes_and_only_they_have_equal_hashes(one: Trainer, other: Trainer) -> None:
    assert (recipe_hash(one) == recipe_hash(other)) == (msgspec.to_builtins(one) == msgspec.to_builtins(other))


def test_the_hash_is_the_same_in_another_process_and_does_not_depend_on_key_order() -> None:
    one, other = Trainer(weights={"a": 1.0, "b": 2.0}), Trainer(weights={"b": 2.0, "a": 1.0})
    assert recipe_hash(one) == recipe_hash(other)
    code = "from duologue.core.recipe import recipe_hash; from duologue.core.records import Span;"
    code += "print(recipe_hash(Span(turn=1, start=2, end=3)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert printed == "fadea962a300958fce5fc24a9aadf56b5264f6325a05e1c926a85c9ae36f64ac"


@given(key=names, value=words)
def test_no_override_ends_in_anything_but_a_recipe_or_a_usage_error(key: str, value: str) -> None:
    with suppress(UsageError):
        assert resolve(Trainer, overrides=[f"{key}={value}", f"net.{key}={value}"]).net.width >= 1


def test_what_is_missing_in_an_element_of_a_list_is_named_with_its_place(tmp_path: Path) -> None:
    class Several(Record, frozen=True):
        parts: tuple[Strict, ...] = ()

    path = tmp_path / "r.toml"
    path.write_text('[[parts]]\nwhere = "x"\n[[parts]]\nlow = 1\n', "utf-8")
    with pytest.raises(UsageError, match=r"'parts\[1\]\.where' is missing$"):
        resolve(Several, file=path)  # no --set reaches into a list


def test_a_plug_in_takes_its_own_kind_of_recipe_with_numbers_of_the_declared_types() -> None:
    assert type(expected(Net(rates=(1,)), Net).rates[0]) is float
    with pytest.raises(UsageError, match="expected a Net as the recipe, found Trainer"):
        expected(Trainer(), Net)
