"""Connections to a server."""

import http.client
import socket
import time
from urllib.parse import SplitResult


def connection_to(url: SplitResult, connect_within_s: float) -> http.client.HTTPConnection:
    """A connection that is yet to be made."""
    kind = _SecureConnection if url.scheme == "https" else _PlainConnection
    return kind(url.hostname or "", url.port, timeout=connect_within_s)


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
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(max(0.001, left_s / (len(found) - at)))
            sock.connect(address)
            sock.settimeout(within_s)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            failure = error
            sock.close()
    raise failure
