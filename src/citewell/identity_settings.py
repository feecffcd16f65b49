"""Settings of who is let in: the owner at this machine, and people whom an issuer vouches for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, field_validator

from citewell.setting_fields import SettingGroup, number, setting, split_names
from citewell.setting_urls import is_secure_or_local

Names = Annotated[tuple[str, ...], BeforeValidator(split_names)]

TOKEN_ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)


class IdentitySettings(SettingGroup):
    """Who needs no credential, and what the tokens of an issuer mean."""

    local_owner: Literal["auto", "always", "never"] = setting("auto", "auto, always or never")
    """Whether a request to a server on the loopback address needs no credential: `auto`, until the
    first key is made or an issuer is set. One person on one machine needs no keys; who gives keys
    out may have put a proxy in front."""

    oidc_issuer: str | None = setting(
        None, "an https URL as it stands in tokens (http on this machine)"
    )
    """Who signs the tokens that are let in, by OpenID Connect discovery. Nobody is asked unless
    someone says who."""

    oidc_audience: str | None = setting(None, "a name", min_length=1)
    """For whom a token must be made; required with an issuer. A token for another service of the
    same issuer must not open this one."""

    oidc_tier_claim: str = setting(
        "groups", "a name, with dots into claims that are objects", min_length=1
    )
    """Which claim of a token decides the tier. Many issuers list groups in it."""

    oidc_tiers: Names = setting((), "value=tier pairs with commas between, e.g. staff=employee")
    """What the values of that claim mean; whose token has none of them is not let in, and of
    several the highest counts; required with an issuer. No value means something everywhere."""

    oidc_operators: Names = setting((), "values of the claim with commas between")
    """Values of that claim whose owners may start syncs and see what operators see. Readers need
    neither."""

    oidc_algorithms: Names = setting(
        ("RS256", "PS256", "ES256", "EdDSA"),
        f"of {', '.join(TOKEN_ALGORITHMS)}, with commas between",
    )
    """With which algorithms tokens may be signed; never with a shared secret. Issuers use one of
    these."""

    oidc_leeway_seconds: float = number(30.0, "seconds", within=(0, 300))
    """How far the clocks of the issuer and of this machine may differ. Clocks that are kept differ
    by less."""

    oidc_refresh_seconds: float = number(300.0, "seconds", within=(10, 86_400))
    """How often the issuer's keys are fetched anew. A key that was withdrawn opens nothing for
    longer."""

    @property
    def tier_of_value(self) -> dict[str, str]:
        """The tier of each value of the claim that decides."""
        pairs = (pair.rpartition("=") for pair in self.oidc_tiers)
        return {value.strip(): tier.strip() for value, _, tier in pairs}

    @field_validator("oidc_issuer")
    @classmethod
    def _safe_address(cls, url: str | None) -> str | None:
        if url is not None and not is_secure_or_local(url):
            raise ValueError("it is no https URL without user, query and fragment")
        return url

    @field_validator("oidc_algorithms")
    @classmethod
    def _known_algorithms(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names or not set(names) <= set(TOKEN_ALGORITHMS):
            raise ValueError("one of them is not allowed")
        return names

    @field_validator("oidc_tiers")
    @classmethod
    def _pairs(cls, pairs: tuple[str, ...]) -> tuple[str, ...]:
        parts = [pair.rpartition("=") for pair in pairs]
        if any(not (value.strip() and tier.strip()) for value, _, tier in parts):
            raise ValueError("one is no pair of a value and a tier")
        if len({value.strip() for value, _, _ in parts}) != len(parts):
            raise ValueError("a value stands twice")
        return pairs
