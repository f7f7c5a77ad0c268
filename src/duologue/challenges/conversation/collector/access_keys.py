"""Keys of an app and of a user: `config.ini` of the challenge's collector (specification, 1.1) or the environment."""

from __future__ import annotations

import configparser
import os
from typing import TYPE_CHECKING, Literal

from duologue.challenges.conversation.collector.bearer_token import VARIABLES, token_for
from duologue.challenges.conversation.collector.credential import checked_address, demand_encrypted, is_header_text
from duologue.challenges.conversation.collector.oauth import AppKeys, UserToken
from duologue.core.disk import read_bytes
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from duologue.challenges.conversation.collector.credential import Credential

Access = Literal["auto", "bearer", "user", "app"]
SECTION = "AccessKeys"
NAMES = ("ConsumerKey", "ConsumerSecret", "AccessToken", "AccessTokenSecret")
"""Keys of the section, in the order of `KEY_VARIABLES`."""
KEY_VARIABLES = ("X_CONSUMER_KEY", "X_CONSUMER_SECRET", "X_ACCESS_TOKEN", "X_ACCESS_TOKEN_SECRET")
"""Environment variables that stand for the four."""
_APP = 2
"""How many of the four an app needs."""


def credential_for(
    base_url: str,
    *,
    access: Access = "auto",
    config: Path | None = None,
    prefer_user: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Credential | None:
    """Return what calls are made with: `Token`, `UserToken`, or `AppKeys` that are to be exchanged for a token.

    With `auto` a file that is given comes first, then the environment's bearer token, then its keys; keys alone are
    an app's, all four a user's. Whatever was read is hidden, also what no call bears. `prefer_user`: the user's token
    goes before the bearer token, as a search of accounts needs one. `None` where there is nothing and the
    service is on this machine. Raises `UsageError` where what is asked for is not there, and as `token_for` does.
    """
    parts = checked_address(base_url)
    environment = os.environ if environment is None else environment
    keys, place = _keys(config, environment)
    has_bearer = any(environment.get(name, "").strip() for name in VARIABLES)
    if access == "auto":
        if config is None and has_bearer and not (prefer_user and all(keys)):
            access = "bearer"
        elif config is not None or any(keys):
            access = "user" if any(keys[_APP:]) else "app"
        else:
            return token_for(base_url, environment)
    read = (*keys, *(environment.get(name, "").strip() for name in VARIABLES))
    if access == "bearer":
        bearer = token_for(base_url, environment) if has_bearer else None
        if bearer is None:
            raise UsageError(f"--access bearer: the environment variable {VARIABLES[0]} is not set")
        return bearer.hiding(*read)
    wanted = len(keys) if access == "user" else _APP
    missing = [name for name, one in zip(place[:wanted], keys[:wanted], strict=True) if not one]
    if missing:
        kind = "a user's token takes four keys" if access == "user" else "an app takes key and secret"
        raise UsageError(f"{kind}; not set: {', '.join(missing)}")
    demand_encrypted(parts)
    made: Credential = UserToken(*keys) if access == "user" else AppKeys(*keys[:_APP])
    return made.hiding(*read)


def read_config(path: Path) -> tuple[str, str, str, str]:
    """Return the four keys of a `config.ini`; "" for one that is not there.

    Raises `UsageError` for a file that is none, which names lines but never shows what they hold.
    """
    parser = configparser.ConfigParser(interpolation=None)
    trouble = ""
    try:
        parser.read_string(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        trouble = "it is not UTF-8"
    except configparser.MissingSectionHeaderError as error:  # messages have lines, and with them the secrets
        trouble = f"line {error.lineno} stands before the first section"
    except configparser.ParsingError as error:
        lines = ", ".join(str(number) for number, _ in error.errors)
        trouble = f"line {lines} is no setting such as `Name = text`"
    except configparser.Error as error:
        line = getattr(error, "lineno", None)
        trouble = f"line {line} says something a second time" if line else "it cannot be read"
    if not trouble and not parser.has_section(SECTION):
        trouble = f"it has no section [{SECTION}]"
    if trouble:
        raise UsageError(f"{path}: {trouble}; expected the section [{SECTION}] with {', '.join(NAMES)}")
    key, secret, token, token_secret = (parser.get(SECTION, name, fallback="").strip() for name in NAMES)
    return key, secret, token, token_secret


def _keys(config: Path | None, environment: Mapping[str, str]) -> tuple[tuple[str, str, str, str], tuple[str, ...]]:
    """Return the four keys, and where each should stand. Raises `UsageError` for one that cannot be sent."""
    if config is not None:
        keys, place = read_config(config), tuple(f"{name} of [{SECTION}] in {config}" for name in NAMES)
    else:
        key, secret, token, token_secret = (environment.get(name, "").strip() for name in KEY_VARIABLES)
        keys, place = (key, secret, token, token_secret), tuple(f"the variable {name}" for name in KEY_VARIABLES)
    for name, one in zip(place, keys, strict=True):
        if one and not is_header_text(one):
            raise UsageError(f"{name} is no key: it has spaces or unprintable characters")
    return keys, place
