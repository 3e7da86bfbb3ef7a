"""Tests of how the client for Python sends a request and reads its answer."""

import math
import socket
import sys
import threading
import time
import unittest
from unittest import mock
from urllib.parse import urlsplit

from lockyard import Client, Hold, LockLost, LockyardError, WaitAbandoned
from lockyard.connecting import Tls, connection_to
from lockyard.sending import now_ms
from lockyard.waiting import Grant

PATIENCE_S = 20


class AddressTest(unittest.TestCase):
    def test_an_ipv6_address_without_a_port_has_that_of_its_scheme(self):
        for address, port in (("http://[::1]", 80), ("https://[2001:db8::beef]", 443)):
            url = urlsplit(address)
            made = connection_to(url, 1, Tls(None))
            self.assertEqual((made.host, made.port), (url.hostname, port))


class SendingTest(unittest.TestCase):
    """The server sends what each test says, whatever it is asked."""

    def setUp(self):
        self.closed = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.addCleanup(self.closed.set)
        self.client = Client(f"http://127.0.0.1:{self.listener.getsockname()[1]}", "key")

    def serve(self, *parts, every_s=0.0):
        """Sends the parts to one caller, then hangs up."""

        def run():
            caller, _ = self.listener.accept()
            with caller:
                caller.recv(65_536)
                for part in parts:
                    try:
                        caller.sendall(part)
                    except OSError:
                        return
                    if self.closed.wait(every_s):
                        return

        threading.Thread(target=run).start()

    def requests(self):
        return [each for each in threading.enumerate() if each.name == "lockyard-request"]

    def test_a_request_that_is_given_up_ends_also_in_the_middle_of_its_answer(self):
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 900\r\n\r\n"
        self.serve(head, *[b" "] * 900, every_s=0.05)
        with self.assertRaisesRegex(LockyardError, "UNKNOWN: No answer within 500 ms"):
            self.client.send("lock.inspect", "query", {"name": "job"}, timeout_ms=500)
        until = time.monotonic() + 5
        while self.requests() and time.monotonic() < until:
            time.sleep(0.02)
        self.assertEqual(self.requests(), [])

    def test_a_wait_that_was_given_up_before_asks_for_nothing(self):
        stop = threading.Event()
        stop.set()
        with mock.patch.object(self.client, "send", side_effect=AssertionError("It asks.")):
            with self.assertRaises(WaitAbandoned), self.client.lock("job", stop=stop):
                self.fail("It was not granted.")

    def test_an_answer_of_something_else_makes_the_next_request_begin_elsewhere(self):
        self.serve(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nA proxy.")
        first = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        client = Client(f"{first},http://127.0.0.1:1", "key")
        with self.assertRaises(LockyardError) as caught:
            client.inspect({"name": "job"})
        self.assertTrue(caught.exception.is_foreign)
        self.assertEqual(client.addresses.in_order(), ["http://127.0.0.1:1", first])

    def test_a_release_that_something_else_answers_is_sent_again_by_the_same_id(self):
        grant = Grant(7, 0, 0, now_ms(), 60_000)
        ask = {"namespace": "default", "name": "job", "owner": "me", "mode": "exclusive"}
        hold = Hold(self.client, {**ask, "leaseMs": 60_000}, grant, {})
        answers = [
            LockyardError("NOT_FOUND", "A proxy.", is_foreign=True),
            LockyardError("INTERNAL", "A fault."),
            {"outcome": "released"},
        ]
        with mock.patch.object(self.client, "send", side_effect=answers) as send:
            self.assertIsNone(hold.release())
        self.assertEqual(len({call.args[2]["requestId"] for call in send.call_args_list}), 1)

    def test_an_address_of_a_family_that_the_machine_does_not_have_is_passed_over(self):
        self.serve(b'HTTP/1.1 200 OK\r\n\r\n{"result":{"data":{"state":"free"}}}')
        found = socket.getaddrinfo(*self.listener.getsockname(), 0, socket.SOCK_STREAM)
        unknown = (socket.AF_IPX, *found[0][1:])
        with mock.patch("socket.getaddrinfo", lambda *_: [unknown, *found]):
            self.assertEqual(self.client.inspect({"name": "job"})["state"], "free")

    def test_what_json_cannot_represent_is_refused_before_anything_is_sent(self):
        self.listener.settimeout(0.2)
        for options in ({"meta": {"a": object()}}, {"lease_ms": math.inf}, {"lease_ms": math.nan}):
            with self.assertRaisesRegex(LockyardError, "^INVALID: (meta|leaseMs): "):
                with self.client.lock("job", **options):
                    self.fail("It is granted.")
        with self.assertRaises(TimeoutError):
            self.listener.accept()

    def test_an_answer_that_ends_too_soon_is_not_taken_for_another_server_s(self):
        body = b'{"result":{"data":{"state":"free"}}}'
        self.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + body)
        with self.assertRaisesRegex(LockyardError, "UNKNOWN: .*IncompleteRead"):
            self.client.inspect({"name": "job"})


class RemarkArrives:
    """The lock of a hold's state: as soon as it is free again, an operator asks for the hold."""

    REMARK = {"by": "ana", "reason": "a deploy waits", "at": 1}

    def __init__(self, hold):
        self.hold, self.state = hold, hold._state

    def __enter__(self):
        self.state.acquire()

    def __exit__(self, *_):
        self.state.release()
        self.hold._state = self.state
        self.hold._pass_on({"askedToRelease": self.REMARK})


class RenewalTest(unittest.TestCase):
    def test_a_block_that_joins_a_hold_while_that_is_asked_for_hears_of_it_once(self):
        lease = {"token": 1, "waitedMs": 0, "expiresAt": 1, "expiresInMs": 30_000}
        heard = []

        def send(procedure, kind, ask, **_):
            return {"outcome": "granted" if procedure == "lock.acquire" else "released", **lease}

        client = Client("http://127.0.0.1:1", "key")
        with mock.patch.object(client, "send", send), client.lock("job") as hold:
            hold._state = RemarkArrives(hold)
            with client.lock("job", on_asked_to_release=heard.append):
                pass
        self.assertEqual(heard, [RemarkArrives.REMARK])

    def test_a_lease_longer_than_its_namespace_has_come_to_allow_is_renewed_in_time(self):
        lease = {"token": 1, "waitedMs": 0, "expiresAt": 1, "expiresInMs": 1_500}
        outcomes = {"lock.acquire": "granted", "lock.renew": "renewed", "lock.release": "released"}
        asked = threading.Semaphore(0)

        def send(procedure, kind, ask, **_):
            if procedure == "lock.renew":
                asked.release()
            return {"outcome": outcomes[procedure], **lease}

        client = Client("http://127.0.0.1:1", "key")
        with mock.patch.object(client, "send", send):
            with client.lock("job", lease_ms=3_600_000) as hold:
                for _ in range(4):
                    self.assertTrue(asked.acquire(timeout=PATIENCE_S if hold.loss is None else 0))

    def test_a_callback_that_ends_its_thread_does_not_end_the_renewals(self):
        lease = {"token": 1, "waitedMs": 0, "expiresAt": 1, "expiresInMs": 1_500}
        remark = {"by": "ana", "reason": "r", "at": 1}
        outcomes = {"lock.acquire": "granted", "lock.renew": "renewed", "lock.release": "released"}
        asked = threading.Semaphore(0)

        def send(procedure, kind, ask, **_):
            if procedure == "lock.renew":
                asked.release()
            return {"outcome": outcomes[procedure], "askedToRelease": remark, **lease}

        client = Client("http://127.0.0.1:1", "key")
        options = {"lease_ms": 3_600_000, "on_asked_to_release": lambda _: sys.exit()}
        with mock.patch.object(client, "send", send), self.assertLogs("lockyard"):
            with client.lock("job", **options):
                # The first one confirms the grant.
                for _ in range(3):
                    self.assertTrue(asked.acquire(timeout=5))

    def test_a_renewal_of_a_short_lease_may_be_answered_once_an_earlier_one_has_prolonged_it(self):
        limits = []

        def send(procedure, kind, ask, timeout_ms):
            limits.append(timeout_ms)
            return {"outcome": "renewed", "expiresAt": 2, "expiresInMs": 2_900}

        client = Client("http://127.0.0.1:1", "key")
        ask = {"namespace": "default", "name": "job", "owner": "me", "mode": "exclusive"}
        almost_over = Grant(7, 0, 0, now_ms() - 2_000, 2_900)
        hold = Hold(client, {**ask, "leaseMs": 2_900}, almost_over, {})
        with mock.patch.object(client, "send", send):
            hold._renew()
        self.assertEqual(limits, [1_000])

    def test_a_renewal_that_failed_before_one_that_succeeded_is_not_the_cause_of_a_loss(self):
        lease = {"token": 1, "waitedMs": 0, "expiresAt": 1, "expiresInMs": 1_500}
        renewed = {"outcome": "renewed", **lease, "expiresAt": 2}
        renewals = [LockyardError("BACKEND_DOWN", "away"), renewed]

        def send(procedure, kind, ask, **_):
            if procedure == "lock.renew":
                answer = renewals.pop(0)
                if isinstance(answer, LockyardError):
                    raise answer
                return answer
            return {"outcome": "granted" if procedure == "lock.acquire" else "released", **lease}

        client = Client("http://127.0.0.1:1", "key")
        with mock.patch.object(client, "send", send), self.assertRaises(LockLost) as lost:
            with client.lock("job", lease_ms=1_500) as hold:
                while renewals or hold.expires_at == 1:
                    time.sleep(0.01)
                with mock.patch("lockyard.holding.now_ms", lambda: now_ms() + 10_000):
                    hold.check()
        self.assertIsNone(lost.exception.__cause__)


if __name__ == "__main__":
    unittest.main()
