import pytest

from citewell.access.local_owner import LocalOwner
from citewell.domain.clearance import Principal
from citewell.domain.credential import Credential
from citewell.domain.errors import CredentialsError

OWNER = LocalOwner(("employee", "director"))


def test_caller_at_this_machine_reads_the_highest_tier_and_may_do_everything() -> None:
    principal = OWNER.authenticate(Credential(None, is_local=True))
    assert principal == Principal(
        "owner", "director", scopes=frozenset({"ask", "sync", "admin"}), kind="local"
    )
    assert OWNER.is_valid(principal)


@pytest.mark.parametrize(
    "credential",
    [
        Credential(None, is_local=False),
        Credential("a key", is_local=True),
        Credential("a key", is_local=False),
        Credential("", is_local=True),
    ],
)
def test_everyone_else_is_refused_with_one_message(credential: Credential) -> None:
    with pytest.raises(CredentialsError) as refused:
        OWNER.authenticate(credential)
    assert str(refused.value) == "The credentials are missing or were refused."


def test_other_principals_are_not_valid() -> None:
    assert not OWNER.is_valid(Principal("owner", "director"))
    assert not OWNER.is_remote_allowed


def test_credential_is_never_printed() -> None:
    assert "secret" not in repr(Credential("secret", is_local=True))
