"""Composition root of identity: who is let in, as the settings want it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from citewell.access.api_keys import digest_of
from citewell.access.callers import CallerAuthenticator, Entrances
from citewell.access.tier_of_claims import ClaimRules

if TYPE_CHECKING:
    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.ports.token_verifier import TokenVerifier
    from citewell.settings import Settings


def make_authenticator(
    settings: Settings,
    catalog: SqliteCatalog,
    *,
    is_loopback: bool,
    local_token: str | None = None,
) -> CallerAuthenticator:
    """Return what tells the doors who asks.

    Args:
        settings: Resolved.
        catalog: Where the keys are.
        is_loopback: Whether nobody but this machine reaches the door; else nobody gets in without a
            credential, whatever `LOCAL_OWNER` says.
        local_token: What `sharing_local_token` yields, if commands on this machine may use it.
    """
    from citewell.adapters.catalogs.sqlite.catalog import utc_now

    entrances = Entrances(
        keys=catalog.keys,
        verifier=_verifier(settings),
        claims=ClaimRules(
            claim=settings.oidc_tier_claim,
            tiers=settings.tier_of_value,
            operators=frozenset(settings.oidc_operators),
        ),
        local_owner=settings.local_owner if is_loopback else "never",
        local_token=None if local_token is None else digest_of(local_token),
    )
    secret = catalog.facts.secret()
    return CallerAuthenticator(entrances, tiers=settings.access_tiers, secret=secret, now=utc_now)


@contextmanager
def sharing_local_token(settings: Settings) -> Generator[str]:
    """Yield a new token by which commands on this machine reach a server, until that ends.

    Raises:
        ConfigurationError: The data folder cannot be written.
    """
    from citewell.adapters.identity.local_token import remove_local_token, renew_local_token

    token = renew_local_token(settings.data_dir)
    try:
        yield token
    finally:
        remove_local_token(settings.data_dir)


def _verifier(settings: Settings) -> TokenVerifier | None:
    """Return what checks the tokens of the issuer, where one is set."""
    from citewell.adapters.identity.issuer_keys import fetch_issuer_keys
    from citewell.adapters.identity.key_ring import KeyRing, RingOptions
    from citewell.adapters.identity.oidc_verifier import OidcVerifier, TokenRules

    issuer, audience = settings.oidc_issuer, settings.oidc_audience
    if issuer is None or audience is None:
        return None
    algorithms = settings.oidc_algorithms
    rules = TokenRules(
        issuer, audience, algorithms=algorithms, leeway_s=settings.oidc_leeway_seconds
    )
    fetch = partial(fetch_issuer_keys, issuer, algorithms=algorithms)
    options = RingOptions(refresh_s=settings.oidc_refresh_seconds)
    return OidcVerifier(rules, keys=KeyRing(fetch, options=options))
