"""Every error stands in `docs/errors.md` with its code, HTTP status and exit code."""

from error_rows import error_rows, family, rows_on_the_page

from citewell.domain import errors
from citewell.domain.errors import CitewellError

STATUSES = {401, 403, 404, 405, 409, 410, 413, 421, 422, 429, 500, 502, 503, 504}
EXITS = {2, 3, 69, 70, 75}


def test_errors_page_equals_the_code() -> None:
    renew = "run: .venv/bin/python tests/docs/error_rows.py"
    assert rows_on_the_page() == error_rows(), renew


def test_every_error_of_the_module_is_in_the_tree() -> None:
    in_module = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert set(in_module) == {error.__name__ for error in family(CitewellError)}


def test_codes_are_unique() -> None:
    codes = [error.code for error in family(CitewellError)]
    assert sorted(codes) == sorted(set(codes))


def test_statuses_and_exit_codes_are_those_of_the_contract() -> None:
    strange = [
        error.__name__
        for error in family(CitewellError)
        if error.http_status not in STATUSES or error.exit_code not in EXITS
    ]
    assert strange == []


def test_an_error_without_a_message_says_its_docstring_in_one_sentence() -> None:
    wrong = [
        error.__name__
        for error in family(CitewellError)
        if str(error()) != (error.__doc__ or "") or not str(error()).endswith(".")
    ]
    assert wrong == []


def test_the_drawing_at_the_top_names_every_class() -> None:
    missing = [
        e.__name__ for e in family(CitewellError) if e.__name__ not in (errors.__doc__ or "")
    ]
    assert missing == []
