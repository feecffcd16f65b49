import socket

import pytest

from citewell.domain.errors import ConfigurationError
from citewell.server.serve import is_loopback, listen


def test_connections_send_at_once() -> None:
    (listening,) = listen("127.0.0.1", 0)
    with listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_port_that_is_taken_is_an_error_that_names_it() -> None:
    (listening,) = listen("127.0.0.1", 0)
    with listening:
        port = listening.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1 port {port}"):
            listen("127.0.0.1", port)


def test_loopback_is_what_nobody_else_reaches() -> None:
    hosts = ("127.0.0.1", "::1", "0.0.0.0", "127.0.0.7", "no.such.host.invalid")
    assert [is_loopback(host) for host in hosts] == [True, True, False, True, False]
