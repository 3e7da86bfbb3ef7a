"""Tests of what the client for Python raises, and for which answers, addresses and keys.

`LOCKYARD_URL` and `LOCKYARD_API_KEY` say which server it is tested with.
"""

import copy
import functools
import multiprocessing
import os
import pickle
import secrets
import signal
import socket
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock
from urllib.parse import urlsplit

from lockyard import (
    Client,
    LockLost,
    LockTimeout,
    LockUpgradeRefused,
    LockyardError,
    ReleaseUnconfirmed,
    WaitAbandoned,
)
from lockyard.settings import process_meta

PATIENCE_S = 20


class AnswerTest(unittest.TestCase):
    """The server gives every request the same answer, and keeps the addresses asked for."""

    def setUp(self):
        self.body, self.paths = b"", []
        test = self

        class Server(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def do_GET(self):
                test.paths.append(self.path.partition("?")[0])
                self.send_response(200)
                self.send_header("Content-Length", str(len(test.body)))
                self.end_headers()
                self.wfile.write(test.body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=self.server.serve_forever).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def test_an_answer_that_is_nested_too_deeply_is_no_answer(self):
        self.body = b"[" * 1_000_000
        with self.assertRaisesRegex(LockyardError, "UNKNOWN: 200 came without an answer"):
            Client(self.url, "key").inspect({"name": "job"})

    def test_a_grant_without_a_number_for_its_lease_is_no_answer(self):
        ask = {"name": "job", "leaseMs": 1_000}
        for lease in (b'"1000"', b"[]", b"Infinity", b"NaN", b"1e999", b"9" * 400):
            fields = b'"outcome":"granted","token":7,"waitedMs":0,"expiresAt":5'
            self.body = b'{"result":{"data":{%b,"expiresInMs":%b}}}' % (fields, lease)
            with self.assertRaisesRegex(LockyardError, 'UNKNOWN: The answer has no "expiresInMs"'):
                Client(self.url, "key").acquire(ask)

    def test_an_address_may_have_a_path_that_has_to_be_encoded(self):
        self.body = b'{"result":{"data":{"state":"free"}}}'
        for path, asked in (("/a%20b", "/a%20b"), ("/schl\u00f6sser", "/schl%C3%B6sser")):
            answer = Client(self.url + path, "key").inspect({"name": "job"})
            self.assertEqual(answer["state"], "free")
            self.assertEqual(self.paths.pop(), f"{asked}/api/v1/lock.inspect")


def described(client):
    return [client.owner, client.namespace, client.inspect({"name": "job"})["state"]]


class ErrorTest(unittest.TestCase):
    def test_a_client_can_be_passed_to_a_process_that_is_spawned_and_is_another_owner_there(self):
        for owner in (None, "worker"):
            client = Client(namespace="default", owner=owner)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                there = pool.apply(described, (client,))
            self.assertEqual(there[0] == client.owner, owner is not None)
            self.assertEqual(there[1:], ["default", "free"])

    def test_a_key_that_was_passed_to_a_client_is_not_pickled(self):
        for method in (pickle.dumps, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, "^A Client .* LOCKYARD_API_KEY"):
                method(Client(api_key="lk_secret"))
        self.assertNotIn(os.environ["LOCKYARD_API_KEY"].encode(), pickle.dumps(Client()))

    def test_errors_can_be_passed_between_processes_and_copied(self):
        holders = [{"owner": "o"}]
        errors = [
            LockyardError("UNKNOWN", "gone", wait_max_ms=5, is_final=True),
            LockTimeout("job", 10, holders, 2, None),
            LockLost("job", 7, "forced", 5, "ana", "stuck"),
            ReleaseUnconfirmed("job", 7, "result"),
            LockUpgradeRefused("job", 7, "shared", "exclusive"),
            WaitAbandoned(),
        ]
        for error in errors:
            for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
                self.assertIs(type(same), type(error))
                self.assertEqual((str(same), vars(same)), (str(error), vars(error)))

    def test_work_that_would_run_only_once_the_lock_is_released_is_refused(self):
        name, begun = secrets.token_hex(8), []

        async def task(hold):
            begun.append(hold)

        def generator(hold):
            yield begun.append(hold)

        async def asynchronous_generator(hold):
            yield begun.append(hold)

        for work in (task, generator, asynchronous_generator):
            for each in (work, functools.partial(work)):
                with self.assertRaisesRegex(LockyardError, "^INVALID: .* `with client.lock"):
                    Client("http://127.0.0.1:1").with_lock(name, each)
        with self.assertRaisesRegex(LockyardError, "^INVALID: The work cannot be called"):
            Client("http://127.0.0.1:1").with_lock(name, None)
        client = Client()
        for work in (task, generator, asynchronous_generator):
            with self.assertRaisesRegex(LockyardError, "^INVALID: .* `with client.lock"):
                client.with_lock(name, lambda hold: work(hold))
            self.assertEqual(client.inspect({"name": name})["state"], "free")
        self.assertEqual(begun, [])

    def test_an_interrupt_right_before_the_block_ends_the_renewals(self):
        client, name = Client(), secrets.token_hex(8)
        interrupted = mock.Mock(side_effect=[(), KeyboardInterrupt()])
        with mock.patch("lockyard.lock._open_holds", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                with client.lock(name):
                    self.fail("It was interrupted.")
        renewing = [each for each in threading.enumerate() if name in each.name]
        for thread in renewing:
            thread.join(5)  # The first renewal would be after 10 s.
            self.assertFalse(thread.is_alive())
        self.assertEqual(client.inspect({"name": name})["state"], "free")

    def test_a_pod_whose_name_is_empty_has_that_of_its_host(self):
        pod = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "POD_NAME": "", "HOSTNAME": "web-0"}
        with mock.patch.dict(os.environ, pod):
            self.assertEqual(process_meta().get("pod"), "web-0")

    def test_a_key_file_that_is_no_text_is_refused(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"lk_\xff")
            file.flush()
            named = {"LOCKYARD_API_KEY": "", "LOCKYARD_API_KEY_FILE": file.name}
            with mock.patch.dict(os.environ, named):
                with self.assertRaisesRegex(LockyardError, "INVALID: The API key has characters"):
                    Client()

    def test_each_address_of_a_host_name_gets_its_part_of_the_time(self):
        here = urlsplit(os.environ["LOCKYARD_URL"])
        resolve, queued = socket.getaddrinfo, []
        with socket.socket() as full:
            full.bind(("127.0.0.2", here.port))
            full.listen(0)
            # It accepts none: the kernel queues one or two, and drops the rest.
            for _ in range(4):
                one = socket.socket()
                self.addCleanup(one.close)
                one.setblocking(False)
                one.connect_ex(full.getsockname())
                queued.append(one)
            time.sleep(0.1)

            def both(host, port, *args, **options):
                found = [resolve(at, port, *args, **options) for at in ("127.0.0.2", "127.0.0.1")]
                return found[0][:1] + found[1][:1]

            with mock.patch("socket.getaddrinfo", both):
                client = Client(f"http://locks.test:{here.port}")
                name = secrets.token_hex(8)
                self.assertEqual(client.inspect({"name": name})["state"], "free")
                with client.lock(name, wait_ms=0):
                    pass

    def test_a_forked_process_notices_the_end_of_a_lease_whatever_a_thread_of_its_parent_did(self):
        client = Client()
        with client.lock(secrets.token_hex(8), lease_ms=1_000) as hold:
            # As a thread that takes note of a renewal just then.
            with hold._state:
                child = os.fork()
                if child == 0:
                    self.await_loss_as_forked_process(hold)
            until = time.monotonic() + PATIENCE_S
            ended = (0, 0)
            while not ended[0] and time.monotonic() < until:
                time.sleep(0.05)
                ended = os.waitpid(child, os.WNOHANG)
        if not ended[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        self.assertEqual((ended[0], os.WEXITSTATUS(ended[1])), (child, 0))

    def await_loss_as_forked_process(self, hold):
        code = 1
        try:
            time.sleep(1.5)
            hold.check()
        except LockLost:
            code = 0 if hold.lost.is_set() else 2
        finally:
            os._exit(code)


if __name__ == "__main__":
    unittest.main()
