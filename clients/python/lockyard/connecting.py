"""Connections to a server."""

import http.client
import socket
import ssl
import time
from typing import Optional
from urllib.parse import SplitResult


_PORTS = {"http": http.client.HTTP_PORT, "https": http.client.HTTPS_PORT}
"""Always given: without one, `http.client` takes the end of an IPv6 address for the port."""


class Tls:
    """How the connections of a client are encrypted. The known authorities are read once, since
    that takes long, and again after a certificate was not accepted."""

    def __init__(self, given: Optional[ssl.SSLContext]):
        self._given = self._context = given

    def context(self) -> ssl.SSLContext:
        context = self._context
        if context is None:
            context = ssl.create_default_context()
            context.set_alpn_protocols(["http/1.1"])
            self._context = context
        return context

    def doubt(self, error: Exception) -> None:
        """Called with what a request failed with."""
        if isinstance(error, ssl.SSLCertVerificationError):
            self._context = self._given


def connection_to(
    url: SplitResult, connect_within_s: float, tls: Tls
) -> http.client.HTTPConnection:
    """A connection that is yet to be made."""
    host, port = url.hostname or "", url.port or _PORTS[url.scheme]
    if url.scheme == "https":
        return _SecureConnection(host, port, timeout=connect_within_s, context=tls.context())
    return _PlainConnection(host, port, timeout=connect_within_s)


class _PlainConnection(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = _first_socket(self.host, self.port, self.timeout or 0)


class _SecureConnection(http.client.HTTPSConnection, _PlainConnection):
    """Encrypts what `_PlainConnection` connects."""


def _first_socket(host: str, port: int, within_s: float) -> socket.socket:
    """Connects to the first address of the host that accepts. Each has its part of the time:
    `socket.create_connection` would give the first one all of it."""
    until = time.monotonic() + within_s
    found = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)
    failure = OSError(f"{host} has no address")
    for at, (family, kind, protocol, _, address) in enumerate(found):
        left_s = until - time.monotonic()
        sock: Optional[socket.socket] = None
        try:
            # Raises where the machine does not have this family, such as IPv6.
            sock = socket.socket(family, kind, protocol)
            sock.settimeout(max(0.001, left_s / (len(found) - at)))
            sock.connect(address)
            sock.settimeout(within_s)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            failure = error
            if sock is not None:
                sock.close()
    raise failure
