"""A connection to a server whose calls end when their time is over, wherever they stand, and whose bodies have a limit.

The time-outs of httpx are of silence alone: a server that never falls silent would hold a call for as long as it likes,
in the head of its response too, before anything of it is handed on. So a timer shuts the socket.
"""

from __future__ import annotations

import socket
import ssl
import weakref
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from duologue.core.errors import UsageError
from duologue.core.escapes import excerpt
from duologue.core.extras import need
from duologue.endpoints.plain_body import MAX_BYTES, UNPACKED, packing_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OPENED = ("connect_tcp.complete", "start_tls.complete")
"""Events of httpx with a socket."""


class LineError(Exception):
    """A call came to nothing: the server is down, slow, cut off or speaks no HTTP; what it says may be of the server's.

    `late` says whether the time was over, or nothing came for too long, `lasting` that no other try would help,
    `unsent` that the server has not heard of the call.
    """

    def __init__(self, what: str, *, late: bool = False, lasting: bool = False, unsent: bool = False) -> None:
        super().__init__(what)
        self.late, self.lasting, self.unsent = late, lasting, unsent


class BodyError(Exception):
    """A body is not read: it is packed, or too long."""


class LineResponse(NamedTuple):
    """A response while it comes."""

    status: int
    retry_after: str
    location: str
    """Where a redirect leads, which is not followed."""
    pieces: Iterator[bytes]
    """Of the body. Raises `BodyError`."""


class TimedLine:
    """One connection, kept open from call to call, which one thread uses at a time.

    Redirects are not followed. A proxy of the environment is asked for https alone, where it sees no header.
    """

    def __init__(
        self, headers: Mapping[str, str], seconds: float, *, secure: bool, silence: float = 0.0, verify: Any = None
    ) -> None:
        """Take the time for a whole call, and the longest silence in it (0: as long); nothing is opened yet.

        `secure` says whether servers are asked by https, `verify` are its `certificates` where several lines share
        them. Raises as `certificates`, and `UsageError` for a proxy of the environment that cannot be asked.
        """
        httpx = need("httpx", "endpoint")
        given = certificates(secure=secure) if verify is None else verify
        try:
            self._client = httpx.Client(
                headers={**UNPACKED, **headers},
                timeout=httpx.Timeout(silence or seconds, pool=None),
                limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
                follow_redirects=False,
                trust_env=secure,
                verify=given,
            )
        except (ValueError, ImportError, httpx.InvalidURL) as error:
            raise UsageError(
                f"the proxy of the environment cannot be asked ({type(error).__name__}): set HTTPS_PROXY, HTTP_PROXY "
                "and ALL_PROXY to addresses such as http://proxy:3128, or leave them unset"
            ) from error
        self.close = weakref.finalize(self, self._client.close)
        """Closes the connection; called at the end of its life at the latest."""
        self._seconds = seconds
        self._socket: socket.socket | None = None
        self._lock = Lock()
        self._call = 0
        self._late = False

    @contextmanager
    def send(self, method: Literal["GET", "POST"], url: str, body: bytes | None = None) -> Iterator[LineResponse]:
        """Send a request, and hand on the response while it comes. Raises `LineError`, `BodyError`."""
        httpx = need("httpx", "endpoint")
        self._late = False
        timer = Timer(self._seconds, self._cut, (self._call,))
        timer.daemon = True
        timer.start()
        sent: Any = {"content": body, "headers": {} if body is None else {"Content-Type": "application/json"}}
        try:
            with self._client.stream(method, url, **sent, extensions={"trace": self._trace}) as response:
                told = response.headers
                retry_after, location = told.get("Retry-After", ""), told.get("Location", "")
                yield LineResponse(response.status_code, retry_after, location, _pieces(response))
        except (httpx.HTTPError, httpx.StreamError) as error:
            if self._late or isinstance(error, httpx.TimeoutException):
                unsent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                raise LineError("gave no answer in time", late=True, unsent=unsent) from error
            raise _line_error(error, httpx) from error
        finally:
            with self._lock:
                self._call += 1
            timer.cancel()

    def _trace(self, event: str, told: Mapping[str, Any]) -> None:
        if event.endswith(_OPENED):
            with self._lock:
                self._socket = told["return_value"].get_extra_info("socket")
                if self._late:
                    self._shut()

    def _cut(self, call: int) -> None:
        with self._lock:
            if call == self._call:  # else it has just ended
                self._late = True
                self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


def _line_error(error: Exception, httpx: Any) -> LineError:
    """Return what an error of httpx that is none of time means."""
    cause: BaseException | None = error
    while cause is not None and not (isinstance(error, httpx.ConnectError) and isinstance(cause, ssl.SSLError)):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        trusted = "one of your own is trusted with SSL_CERT_FILE=FILE"
        return LineError(
            f"has a certificate that is not trusted ({cause.verify_message}); {trusted}", lasting=True, unsent=True
        )
    if isinstance(cause, ssl.SSLError):
        return LineError(
            f"speaks no https ({cause.reason}); should its address begin with http://?", lasting=True, unsent=True
        )
    if isinstance(error, httpx.RemoteProtocolError):
        return LineError(f"was cut off or speaks no HTTP ({error})")
    by_proxy = " by the proxy of the environment" if isinstance(error, httpx.ProxyError) else ""
    unsent = isinstance(error, httpx.ConnectError | httpx.ProxyError)
    return LineError(f"cannot be reached{by_proxy}: {error}", unsent=unsent)


def certificates(*, secure: bool) -> Any:
    """Return what servers are trusted by; reading it takes longer than a call.

    Raises `UsageError` for what the environment names and is none.
    """
    try:
        return need("httpx", "endpoint").create_ssl_context(trust_env=secure)
    except OSError as error:  # of ssl, too
        raise UsageError(
            f"SSL_CERT_FILE or SSL_CERT_DIR of the environment has no certificates that can be read: {error}"
        ) from error


def _pieces(response: Any) -> Iterator[bytes]:
    if packed := packing_of(response.headers):
        told = excerpt(packed.encode())
        raise BodyError(f"packs its answer ({told}), which was not asked for; have it send plain ones")
    read = 0
    for piece in response.iter_raw():
        read += len(piece)
        if read > MAX_BYTES:
            raise BodyError(f"sends more than {MAX_BYTES >> 20} MB")
        yield piece
