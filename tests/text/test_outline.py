from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.outline import outline

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("ab\n\u2028 é", max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=4)
)


def test_nested_values_are_indented_and_empty_ones_left_out() -> None:
    data = {"turns": 0, "tree": {"L1": 2, "L2": 0}, "days": ["2024-03-04"], "note": "", "gone": []}
    assert outline(data) == ["turns: 0", "tree:", "  L1: 2", "  L2: 0", "days:", "  - 2024-03-04"]


def test_a_row_is_one_line_with_its_own_rows_below_it() -> None:
    row = {
        "query": "cat",
        "keywords": ["cat", "dog"],
        "lists": {"facts": 2, "leaves": 0},
        "lines": [{"id": "a", "reserved": False, "times": 1}, {"id": "b", "via": ""}],
        "dropped": 0,
    }
    assert outline({"recalls": [row]}) == [
        "recalls:",
        "  - query cat; keywords cat, dog; lists facts 2",
        "    lines:",
        "      - id a; times 1",
        "      - id b",
    ]


@given(VALUES)
def test_whatever_is_shown_each_line_is_one_and_no_value_is_as_a_program_writes_it(data: object) -> None:
    lines = outline(data)
    assert all(len(line.splitlines()) <= 1 for line in lines)
    assert not set("[]{}'") & set("".join(lines))
