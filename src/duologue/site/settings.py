"""How a site is set up."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

from duologue.core.errors import UsageError
from duologue.core.records import Record


class SiteSettings(Record, frozen=True, kw_only=True):
    """What whoever starts a site decides."""

    workspace: Path = Path("workspace")
    """Folder of what is uploaded."""
    hosts: tuple[str, ...] = ()
    """Names under which the site is reached, beside localhost and addresses in figures."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks whose X-Forwarded-For and X-Forwarded-Proto are believed."""
    per_minute: int = 600
    """Requests a minute of one person, or of one address that nobody has signed in from; 0: any number."""
    largest_body: int = 1 << 20
    """Bytes of the longest request."""
    largest_upload: int = 64 << 20
    """The same where a path ends in `/upload`."""
    seconds: float = 60.0
    """How long an answer may take to begin, in seconds."""

    def check(self) -> SiteSettings:
        """Return the settings. Raises `UsageError` for a proxy that is no address and no network."""
        for one in self.proxies:
            try:
                ip_network(one)
            except ValueError as error:
                raise UsageError(f"proxy '{one}' is no address and no network, such as 10.0.0.0/8") from error
        return self
