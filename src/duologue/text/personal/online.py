"""E-mail addresses, URLs with secrets, handles, network addresses and passwords."""

from __future__ import annotations

import ipaddress
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from duologue.text.personal.spans import PersonalSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

_LETTER = r"A-Za-z0-9\u00c0-\u024f\u0370-\u052f"
_TOP = r"(?:com|net|org|edu|gov|info|biz|co|io|me|cn|uk|de|fr|es|it|nl|ru|jp|kr|in|br|au|ca|us|hk|tw|sg|ch|at|pl|se)"
_EMAIL = re.compile(
    rf"[{_LETTER}](?:[{_LETTER}._%+'\-]{{0,63}}[{_LETTER}_%+\-]"
    rf")?@(?:[{_LETTER}\-]{{1,63}}\.){{1,5}}[A-Za-z\u00c0-\u052f]{{2,24}}"
)
_INSIDE = re.compile(r"@[^ \n@]{1,255}\.")
_SPACED_EMAIL = re.compile(
    rf"[{_LETTER}][{_LETTER}._%+\-]{{0,63}}[ ]{{0,2}}@[ ]{{0,2}}[{_LETTER}\-]{{1,63}}[ ]?\.[ "
    rf"]?(?:[A-Za-z\-]{{1,30}}[ ]?\.[ ]?)?{_TOP}(?:\.{_TOP})?(?![A-Za-z])"
)
_AT = r"(?:[ ]{0,2}[\[({<][ ]?(?:at|@|艾特|a)[ ]?[\])}>][ ]{0,2}|[ ]{1,2}at[ ]{1,2}|[ ]?(?:艾特|圈a|#)[ ]?)"
_DOT = r"(?:[ ]{0,2}[\[({<][ ]?(?:dot|\.|点)[ ]?[\])}>][ ]{0,2}|[ ]{1,2}dot[ ]{1,2}|[ ]?点[ ]?|\.)"
_SAID_EMAIL = re.compile(
    rf"(?<![{_LETTER}])(?P<name>[{_LETTER}][{_LETTER}_+\-]{{0,40}}(?:(?:{_DOT}|"
    rf"\.)[{_LETTER}_+\-]{{1,40}}){{0,3}})(?P<at>{_AT})"
    rf"[{_LETTER}\-]{{1,40}}(?P<dots>(?:{_DOT}[{_LETTER}\-]{{1,30}}){{0,2}}{_DOT}{_TOP})(?![A-Za-z])",
    re.IGNORECASE,
)
_SAYING = re.compile(r"dot|点|[(\[{<][ ]?(?:at|@|a|艾特)[ ]?[)\]}>]|艾特|圈a|[A-Za-z0-9]#[A-Za-z]", re.IGNORECASE)
"""What one of these needs."""
_NO_NAMES = frozenset(
    "a all also and anything are arrive arrived as available back be bought buy call check click deal for found go "
    "got here hotel i is it its item items look looking me meet more not now off on online only or order ordered out "
    "over page price prices product products purchase purchased sale see seen service shop shopping site sold some "
    "something stay stayed staying store stuff support that the them there these they things this those to today up "
    "us using visit was website work working works you".split()
)
_URL = re.compile(
    r"(?:(?<![A-Za-z0-9])(?:https?|ftp|sftp|wss?)://|(?<![A-Za-z0-9@.\-])www\.|"
    r"(?<![A-Za-z0-9@.\-])(?=(?:[A-Za-z0-9\-]{1,63}\.){1,4}[A-Za-z]{2,12}(?::[0-9]{1,5})?[/?#]))"
    r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%\-]{3,2000}",
    re.IGNORECASE,
)
_SHORTENED = re.compile(r"https?://t\.co/[A-Za-z0-9]{1,12}")
"""What Twitter makes of every address: most of those that there are."""
_TAIL = ".,;:!?'\"()[]*"
_KEYS = (
    r"(?:[a-z0-9]{1,20}[_\-.])?(?:token|tok|key|apikey|sig|signature|sign|session|sessionid|sid|jwt|auth|"
    r"authorization|code|otp|pin|"
    r"pass|passwd|password|pwd|secret|ticket|nonce|hash|hmac|e?mail|user|username|uid|userid|account|acct|member|"
    r"memberid|"
    r"customer|customerid|cust|client_id|phone|mobile|tel|msisdn|invite|invitation|ref|reset|verify|verification|"
    r"confirm|"
    r"confirmation|magic|order|orderid|orderno|order_id|tracking|trackingid|booking|pnr|name|firstname|lastname|"
    r"openid|unionid|"
    r"passport|idcard|ssn|dob|address|addr|lat|lng|lon|state|access|credential|invoice|case|"
    r"email_address)(?:[_\-](?:id|no|number|token|key|code))?"
)
_SECRET_QUERY = re.compile(rf"[?&;#]{_KEYS}=[^&#]{{2,}}", re.IGNORECASE)
_SECRET_PATH = re.compile(
    r"/(?:[a-z]{1,20}[\-_])?(?:reset|verify|verification|confirm|activate|activation|invite|invitation|unsubscribe|"
    r"magic|login|signin|sso|auth|token|session|"
    r"recover|recovery|password|track|tracking|order|orders|account|accounts|user|users|u|profile|member|customer|"
    r"download|share|join|t)"
    r"(?:[\-_][a-z]{1,20}){0,2}/(?=[A-Za-z0-9_.~%\-]{0,80}[0-9])[A-Za-z0-9_.~%\-]{6,}",
    re.IGNORECASE,
)
_PERSONAL_HOST = re.compile(
    r"(?:https?://)?(?:www\.|m\.|mobile\.)?(?:(?:wa\.me|t\.me|paypal\.me|cash\.app|venmo\.com|line\.me/ti/p|"
    r"snapchat\.com/add|"
    r"twitter\.com|x\.com|facebook\.com|fb\.com|instagram\.com|tiktok\.com/@|weibo\.com(?:/u)?|"
    r"linkedin\.com/in|reddit\.com/u(?:ser)?|space\.bilibili\.com|zhihu\.com/people|"
    r"douyin\.com/user)/?)(?P<rest>[^/?#]{2,}).*",
    re.IGNORECASE,
)
_PROFILE = re.compile(r"(?:https?://)?(?:www\.)?(?:github|gitee|gitlab)\.com/[^/?#]{2,}/?", re.IGNORECASE)
_MOBILE = re.compile(r"(?<![0-9])1[3-9][0-9]{9}(?![0-9])")
_PIECE = re.compile(r"[A-Za-z0-9]{16,}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_WHO = re.compile(r"://[^/?#@\s]{1,100}:[^/?#@\s]{1,100}@")
_HANDLE = re.compile(r"(?<!@)@(?:[A-Za-z0-9_](?:[A-Za-z0-9_.\-]{0,38}[A-Za-z0-9_])?)")
_CJK_HANDLE = re.compile(r"(?<!@)@[\u3400-\u9fff][\w\-]{1,19}")
_COUNT = re.compile(
    r"[0-9]+(?:[.:][0-9]+)?(?:am|pm|x|k|p|ms|s|h|hz|khz|mhz|ghz|fps|km|kg|mph|usd|each)?", re.IGNORECASE
)
_NO_HANDLES = frozenset(("media", "property", "import"))
_ADDRESS4 = re.compile(r"(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9]|\.[0-9])")
_ADDRESS6 = re.compile(
    r"(?<![A-Za-z0-9.])(?<![0-9A-Fa-f]:)(?<!::)(?=[0-9A-Fa-f]|::)(?=[0-9A-Fa-f:]{0,40}[0-9])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![A-Za-z0-9:])"
)
_HARDWARE = re.compile(
    r"(?<![A-Za-z0-9\-])(?<![0-9A-Fa-f]:)[0-9A-Fa-f]{2}(?:([:\-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![A-Za-z0-9:\-])"
)
_VERSION = re.compile(
    r"(?:version|ver\.?|firmware|build|release|driver|update|upgrade|ios|android|chrome|windows|section|chapter|figure|"
    r"table|clause|paragraph|v|§|版本号?|固件|驱动|系统|升级到?|更新到?|第|节|章)[ :：到至为是]{0,4}$",
    re.IGNORECASE,
)
_PUBLIC = frozenset(
    "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 114.114.114.114 223.5.5.5 223.6.6.6 119.29.29.29 208.67.222.222 "
    "10.0.0.1 10.0.0.138 172.16.0.1 192.168.0.0 10.0.0.0".split()
)
"""Addresses that everybody has: of name servers, and those at which a router answers at home."""
_SECRET = re.compile(
    r"(?:(?<![A-Za-z])(?:password|passwd|pwd|passcode|passphrase|pin(?: code| number)?|cvv2?|cvc|otp|"
    r"(?:verification|security|access|activation|one-time|sms|login|2fa)[ ](?:code|pin)|security answer)(?![A-Za-z])|"
    r"密码|口令|验证码|校验码|安全码|激活码|取件码|动态码)"
    r"(?P<link>[ ]{0,2}(?:is|was|=|:|：|是|为|→)[ ]{0,2}|"
    r"[ ]{0,2})(?P<quote>[\"'“]?)(?P<value>[A-Za-z0-9!@#$%^&*_+.\-]{3,64})",
    re.IGNORECASE,
)
_KEY_FORMS = re.compile(
    r"(?<![A-Za-z0-9_\-])(?:sk-[A-Za-z0-9_\-]{20,200}|gh[opusr]_[A-Za-z0-9]{30,100}|github_pat_[A-Za-z0-9_]{30,100}|"
    r"glpat-[A-Za-z0-9_\-]{20,60}|hf_[A-Za-z0-9]{30,60}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_\-]{35}|"
    r"xox[abeoprs]-[A-Za-z0-9\-]{10,200}|eyJ[A-Za-z0-9_\-]{8,2000}(?:\.[A-Za-z0-9_\-]{8,2000}){1,2})"
)
_KEY_SIGNS = ("sk-", "gh", "glpat-", "hf_", "AKIA", "AIza", "xox", "eyJ")
"""One of these stands in every key that has a form of its own."""
_LABELLED_KEY = re.compile(
    r"(?<![A-Za-z])(?:api[ _\-]?key|(?:access|auth|refresh)[ _\-]?token|secret[ _\-]?key|bearer)"
    r"[ ]{0,2}(?:is|was|=|:|：|是|为)?[ ]{0,2}[\"'“]?(?P<value>(?=[A-Za-z0-9_.+/=\-]{0,200}[0-9])[A-Za-z0-9_.+/=\-]{16,2000})",
    re.IGNORECASE,
)


SECRET_WORDS = frozenset("password passwd pwd passcode passphrase pin cvv cvc otp code answer".split())
"""Without one of these words or Chinese signs `secrets` finds nothing."""


def emails(text: str) -> Iterator[PersonalSpan]:
    """Yield e-mail addresses: written, written with blanks, and said (`name at mail dot com`)."""
    if "@" in text:
        if _INSIDE.search(text):
            for match in _EMAIL.finditer(text):
                yield PersonalSpan(match.start(), match.end(), "EMAIL")
        for match in _SPACED_EMAIL.finditer(text) if "@ " in text or " ." in text else ():
            yield PersonalSpan(match.start(), match.end(), "EMAIL")
    if _SAYING.search(text):
        for match in _SAID_EMAIL.finditer(text):
            if _is_said_email(match):
                yield PersonalSpan(match.start(), match.end(), "EMAIL")


def _is_said_email(match: re.Match[str]) -> bool:
    at = match["at"].strip()
    if not (at.isascii() and at.isalpha()):  # a bracket, a sign, or Chinese words: an address is meant
        return True
    return (
        match["name"].lower() not in _NO_NAMES
        and re.search(r"dot|[\[({<]|点", match["dots"], re.IGNORECASE) is not None
    )


def urls(text: str) -> Iterator[PersonalSpan]:
    """Yield web addresses with a token, a key, a person's account or a password in them; plain ones stay."""
    if "/" not in text and "www." not in text and "?" not in text:
        return
    for match in _URL.finditer(text):
        address = match[0].rstrip(_TAIL)
        if not _SHORTENED.fullmatch(address) and _opens(address):
            yield PersonalSpan(match.start(), match.start() + len(address), "URL")


def without_urls(text: str) -> str:
    """Return a text of the same length without web addresses: their numbers count articles and pages."""
    return _URL.sub(lambda match: "_" * len(match[0]), text)


def _opens(address: str) -> bool:
    if _SECRET_QUERY.search(address) or _SECRET_PATH.search(address) or _WHO.search(address) or "%40" in address:
        return True
    if (
        _UUID.search(address)
        or _MOBILE.search(address)
        or _PROFILE.fullmatch(address)
        or any(_is_random(piece) for piece in _PIECE.findall(address))
    ):
        return True
    person = _PERSONAL_HOST.fullmatch(address)
    return person is not None and not _is_common(person["rest"])


def _is_random(piece: str) -> bool:
    digits = sum(map(str.isdigit, piece))
    changes = sum(one.isupper() != other.isupper() for one, other in pairwise(piece))
    if len(piece) >= 20 and changes >= 6:
        return True
    return 2 <= digits < len(piece) or (digits == len(piece) and len(piece) > 18)


def _is_common(rest: str) -> bool:
    return rest.lower() in {
        "help",
        "support",
        "search",
        "home",
        "about",
        "login",
        "settings",
        "i",
        "explore",
        "legal",
        "privacy",
    }


def handles(text: str) -> Iterator[PersonalSpan]:
    """Yield `@name`; a number alone is none, as in the published customer-support table."""
    if "@" not in text:
        return
    for match in _HANDLE.finditer(text):
        name = match[0][1:]
        if not (_COUNT.fullmatch(name) if name[0].isdigit() else name in _NO_HANDLES):
            yield PersonalSpan(match.start(), match.end(), "HANDLE")
    for match in () if text.isascii() else _CJK_HANDLE.finditer(text):
        yield PersonalSpan(match.start(), match.end(), "HANDLE")


def network(text: str) -> Iterator[PersonalSpan]:
    """Yield addresses of a device: IP versions 4 and 6, hardware addresses."""
    if text.count(".") >= 3:
        for match in _ADDRESS4.finditer(text):
            if _is_somebodys(match[0]) and not _VERSION.search(text[max(0, match.start() - 16) : match.start()]):
                yield PersonalSpan(match.start(), match.end(), "IP")
    if text.count(":") >= 2:
        for match in _ADDRESS6.finditer(text):
            if len(match[0]) >= 6 and _is_address6(match[0]):
                yield PersonalSpan(match.start(), match.end(), "IP")
    if text.count(":") >= 5 or text.count("-") >= 5:
        for match in _HARDWARE.finditer(text):
            yield PersonalSpan(match.start(), match.end(), "IP")


def _is_somebodys(address: str) -> bool:
    parts = [int(part) for part in address.split(".")]
    if max(parts) > 255 or parts[0] in (0, 127, 255) or address in _PUBLIC:
        return False
    return not (parts[:2] == [192, 168] and parts[3] in (1, 254))


def _is_address6(address: str) -> bool:
    try:
        return not ipaddress.IPv6Address(address).is_loopback
    except ValueError:
        return False


def secrets(text: str) -> Iterator[PersonalSpan]:
    """Yield passwords and codes that a label announces, where they hold a digit."""
    for match in _SECRET.finditer(text):
        value = match["value"].rstrip(".")
        marked = match["link"].strip() != ""
        if (
            len(value) >= 3
            and any(map(str.isdigit, value))
            and (marked or (value.isdigit() and (len(value) >= 4 or match[0][:2].lower() == "cv")))
        ):
            if re.fullmatch(r"[0-9]{1,2}-(?:digit|character).*|[0-9]{1,2}", value):
                continue
            yield PersonalSpan(match.start("value"), match.start("value") + len(value), "SECRET")


def keys(text: str) -> Iterator[PersonalSpan]:
    """Yield keys and tokens of programs: those whose form is known, and long ones that a label announces."""
    if any(sign in text for sign in _KEY_SIGNS):
        for match in _KEY_FORMS.finditer(text):
            yield PersonalSpan(match.start(), match.end(), "SECRET")
    for match in _LABELLED_KEY.finditer(text):
        yield PersonalSpan(match.start("value"), match.end("value"), "SECRET")
