"""Check digits."""

import pytest

from mcp_memory.text.numbers import iban_length, is_card


@pytest.mark.parametrize(
    "number", ["4222222222222", "5555555555554444", "2223003122003222", "30569309025904", "3530111333300000"]
)
def test_issued_numbers_with_a_right_check_digit_are_cards(number: str) -> None:
    assert is_card(number) == len(number)


@pytest.mark.parametrize(
    "number", ["", "5555555555554445", "1111111111111117", "4" * 16, "9999999999999995", "٤١١١١١١١١١١١١١١١"]
)
def test_other_numbers_are_no_cards(number: str) -> None:
    assert is_card(number) == 0


def test_an_iban_ends_where_its_country_says() -> None:
    assert iban_length("GB82 WEST 1234 5698 7654 32 ABCD") == len("GB82 WEST 1234 5698 7654 32")


@pytest.mark.parametrize("text", ["", "XX82WEST12345698765432", "GB83WEST12345698765432", "GB82WEST1234"])
def test_wrong_check_digits_countries_and_lengths_are_no_iban(text: str) -> None:
    assert iban_length(text) == 0
