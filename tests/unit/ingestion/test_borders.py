from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citewell.ingestion.borders import Piece, best_halving, choose_borders


def pieces_of(*specs: tuple[int, int, int]) -> list[Piece]:
    """Pieces of the given (rank, size, key)."""
    return [
        Piece(i, i + 1, rank, size, key, is_seam=True) for i, (rank, size, key) in enumerate(specs)
    ]


def sizes(pieces: list[Piece], runs: list[tuple[int, int]]) -> list[int]:
    return [sum(piece.size for piece in pieces[start:end]) for start, end in runs]


def test_what_fits_is_one_run() -> None:
    assert choose_borders(pieces_of((4, 50, 1), (4, 50, 2)), target=100, margin=25) == [(0, 2)]


def test_nothing_gives_no_run() -> None:
    assert choose_borders([], target=100, margin=25) == []


def test_the_highest_rank_is_cut_first_then_the_smallest_hash() -> None:
    pieces = pieces_of((4, 40, 0), (4, 40, 9), (3, 40, 1), (4, 40, 5), (4, 40, 8))
    assert choose_borders(pieces, target=100, margin=25) == [(0, 1), (1, 3), (3, 5)]


def test_no_cut_inside_the_margins() -> None:
    pieces = pieces_of((4, 10, 0), (5, 60, 1), (4, 60, 7))
    assert choose_borders(pieces, target=100, margin=25) == [(0, 2), (2, 3)]


def test_equal_pieces_are_cut_at_even_distances() -> None:
    pieces = pieces_of(*[(3, 10, 5)] * 40)
    assert set(sizes(pieces, choose_borders(pieces, target=100, margin=25))) == {80}


def test_halving_takes_the_best_border_of_the_middle() -> None:
    pieces = pieces_of((4, 10, 0), (5, 40, 1), (3, 20, 2), (4, 20, 3), (4, 40, 4))
    assert best_halving(pieces) == 3


def test_halving_takes_the_border_nearest_to_the_middle_where_no_good_one_is_near() -> None:
    assert best_halving(pieces_of((4, 10, 0), (4, 90, 1))) == 1


specs = st.lists(
    st.tuples(st.integers(1, 5), st.integers(0, 60), st.integers(0, 9)), min_size=1, max_size=60
)


@given(specs)
def test_runs_cover_all_pieces_and_are_cut_only_where_needed(
    described: list[tuple[int, int, int]],
) -> None:
    pieces = pieces_of(*described)
    runs = choose_borders(pieces, target=100, margin=25)
    assert [i for start, end in runs for i in range(start, end)] == list(range(len(pieces)))
    if sum(piece.size for piece in pieces) <= 100:
        assert runs == [(0, len(pieces))]
    elif len(runs) > 1:
        assert min(sizes(pieces, runs)) >= 25


@given(specs, st.integers(0, 2**32 - 1), st.data())
def test_a_better_border_elsewhere_changes_nothing_beyond_a_cut_that_stays(
    described: list[tuple[int, int, int]], key: int, data: st.DataObject
) -> None:
    """Text on the two sides of a page border is divided independently."""
    left, right = pieces_of(*described), pieces_of(*described)
    place = data.draw(st.integers(0, len(right) - 1))
    page = Piece(0, 1, 9, 60, 0, is_seam=True)
    filler = [Piece(0, 1, 0, 60, 1, is_seam=True)]
    edited = [*right[:place], right[place]._replace(key=key), *right[place + 1 :]]
    before = choose_borders([*left, *filler, page, *right], target=100, margin=25)
    after = choose_borders([*left, *filler, page, *edited], target=100, margin=25)
    border = len(left) + 1
    if any(start == border for start, _ in before) and any(start == border for start, _ in after):
        assert [run for run in before if run[1] <= border] == [
            run for run in after if run[1] <= border
        ]
