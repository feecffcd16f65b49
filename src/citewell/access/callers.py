"""Who shows a credential: the one entry of all doors."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

from typing_extensions import override

from citewell.access.api_keys import LOCAL_MARK, MARK, digest_of, is_same_key, prefix_of
from citewell.access.tier_of_claims import ClaimRules, standing_of
from citewell.domain.api_key import ApiKey
from citewell.domain.clearance import Principal, Scope
from citewell.domain.credential import Credential
from citewell.domain.errors import CredentialsError
from citewell.ports.authenticator import Authenticator
from citewell.ports.key_store import KeyStore
from citewell.ports.token_verifier import TokenVerifier, VerifiedToken

MAX_CREDENTIAL_CHARACTERS = 8192
OWNER_ID = "owner"
"""Whoever owns the data folder is one principal, by whichever way they come."""
_ALL: frozenset[Scope] = frozenset(get_args(Scope))
_BY_FILE = "token-file"

LocalOwner = Literal["auto", "always", "never"]
"""Whether a request from this machine needs no credential: `auto`, as long as there never was a key
and no issuer is set."""


@dataclass(frozen=True, slots=True)
class Entrances:
    """By which ways somebody is let in.

    Attributes:
        keys: The keys that were given out.
        verifier: Tells the tokens of an issuer, where one is set.
        claims: What its claims mean; where there is a verifier.
        local_owner: Whether requests from this machine need no credential.
        local_token: Digest of the token that commands on this machine show, or None.
    """

    keys: KeyStore
    verifier: TokenVerifier | None = None
    claims: ClaimRules | None = None
    local_owner: LocalOwner = "never"
    local_token: bytes | None = None


def owner_of(tiers: Sequence[str], *, credential_id: str = "") -> Principal:
    """Return the owner of the data folder, who reads the highest of these tiers."""
    return Principal(OWNER_ID, tiers[-1], scopes=_ALL, kind="local", credential_id=credential_id)


class CallerAuthenticator(Authenticator):
    """Lets in by key, by token, or as the owner of the data folder; remembers nobody."""

    def __init__(
        self,
        entrances: Entrances,
        *,
        tiers: Sequence[str],
        secret: bytes,
        now: Callable[[], datetime],
    ) -> None:
        """Take the ways in, all tiers, lowest first, what hashes names, and a clock."""
        self._entrances = entrances
        self._tiers = tuple(tiers)
        self._secret = secret
        self._now = now

    @override
    def authenticate(self, credential: Credential) -> Principal:
        bearer = credential.bearer
        if bearer is None:
            if not (credential.is_local and self._is_owner_let_in()):
                raise CredentialsError
            return self._owner("")
        if not 0 < len(bearer) <= MAX_CREDENTIAL_CHARACTERS or not bearer.isascii():
            raise CredentialsError
        if bearer.startswith(LOCAL_MARK):
            return self._by_local_token(bearer, is_local=credential.is_local)
        if bearer.startswith(MARK):
            return self._by_key(bearer)
        return self._by_token(bearer)

    @override
    def is_valid(self, principal: Principal) -> bool:
        match principal.kind:
            case "local":
                by_token = principal.credential_id == _BY_FILE
                return by_token or self._is_owner_let_in()
            case "key":
                key = self._entrances.keys.find_by_id(principal.credential_id)
                return key is not None and self._principal_of_key(key) == principal
            case _:  # a token
                verifier = self._entrances.verifier
                ends = principal.expires_at
                is_current = ends is not None and self._now().timestamp() < ends
                return (
                    is_current
                    and verifier is not None
                    and verifier.is_trusted(principal.credential_id)
                )

    @property
    @override
    def is_remote_allowed(self) -> bool:
        if self._entrances.verifier is not None:
            return True
        keys = self._entrances.keys.list_keys()
        return any(self._principal_of_key(key) is not None for key in keys)

    def _is_owner_let_in(self) -> bool:
        """Return whether a request from this machine needs no credential."""
        match self._entrances.local_owner:
            case "always":
                return True
            case "never":
                return False
            case _:  # auto
                return self._entrances.verifier is None and self._entrances.keys.is_empty()

    def _owner(self, credential_id: str) -> Principal:
        return owner_of(self._tiers, credential_id=credential_id)

    def _by_local_token(self, token: str, *, is_local: bool) -> Principal:
        is_ours = is_same_key(token, self._entrances.local_token)
        if not (is_ours and is_local):
            raise CredentialsError
        return self._owner(_BY_FILE)

    def _by_key(self, text: str) -> Principal:
        prefix = prefix_of(text)
        stored = None if prefix is None else self._entrances.keys.find(prefix)
        is_same = is_same_key(text, stored.digest if stored else None)
        principal = self._principal_of_key(stored.key) if stored else None
        if stored is None or not is_same or principal is None:
            raise CredentialsError
        today = self._now().astimezone(UTC).date().isoformat()
        if stored.key.last_used_on != today:
            self._entrances.keys.note_use(stored.key.id, day=today)
        return principal

    def _principal_of_key(self, key: ApiKey) -> Principal | None:
        """Return whom a key makes, None if it makes nobody any more."""
        if key.state_at(self._now()) != "active" or key.tier not in self._tiers:
            return None
        ends = key.expires_at
        return Principal(
            key.id,
            key.tier,
            scopes=frozenset(key.scopes),
            kind="key",
            credential_id=key.id,
            expires_at=datetime.fromisoformat(ends).timestamp() if ends else None,
        )

    def _by_token(self, text: str) -> Principal:
        verifier, rules = self._entrances.verifier, self._entrances.claims
        if verifier is None or rules is None:
            digest_of(text)  # what a refused key costs
            raise CredentialsError
        token = verifier.verify(text)
        standing = standing_of(token.claims, rules, tiers=self._tiers)
        if standing is None:
            raise CredentialsError
        return Principal(
            self._id_of(token),
            standing.tier,
            scopes=standing.scopes,
            kind="token",
            credential_id=token.signing_key,
            expires_at=token.expires_at,
        )

    def _id_of(self, token: VerifiedToken) -> str:
        """Return the same id for the same person, which tells nobody who that is."""
        name = f"{len(token.issuer)}:{token.issuer}{token.subject}".encode()
        return hmac.new(self._secret, b"principal\0" + name, hashlib.sha256).hexdigest()[:32]
