"""Mending lines: every half of a character is replaced, everything else passes byte for byte."""

import json
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.stdio import kept_clean, mend

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=30) | st.text(
    st.sampled_from(list('\\u"d83Dce0\ud83d\ude00\udc00 n')), max_size=30
)


@given(any_text)
def test_halves_become_the_replacement_character(text: str) -> None:
    line = json.dumps({"text": text}).encode()
    whole = json.loads(json.dumps(text))  # joins pairs that were written apart
    assert json.loads(mend(line)) == {"text": re.sub("[\ud800-\udfff]", "\ufffd", whole)}


@given(st.text())
def test_a_line_without_halves_passes_unchanged(text: str) -> None:
    for line in (json.dumps(text).encode(), json.dumps(text, ensure_ascii=False).encode()):
        assert mend(line) == line


@given(st.binary(max_size=60))
def test_any_bytes_pass(line: bytes) -> None:
    assert len(mend(line)) == len(line)


def test_an_escaped_backslash_is_not_taken_for_an_escape() -> None:
    assert mend(b'"\\\\ud83d"') == b'"\\\\ud83d"'
    assert mend(b'"\\\\\\ud83d"') == b'"\\\\\\ufffd"'


def test_what_libraries_write_while_they_are_imported_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with kept_clean():
        os.write(1, b"noise")
    os.write(1, b"protocol")
    out, err = capfd.readouterr()
    assert (out, err) == ("protocol", "noise")
