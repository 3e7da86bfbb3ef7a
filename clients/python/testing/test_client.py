"""Tests of what only the client for Python has: contexts, tasks, threads and forks.

`LOCKYARD_URL` and `LOCKYARD_API_KEY` say which server it is tested with.
"""

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import threading
import time
import typing
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from lock_case import PATIENCE_S, LockCase
from lockyard import Client, Hold, LockLost, LockTimeout, LockyardError, WaitAbandoned
from lockyard.stopping import Stop
from lockyard.waiting import await_grant
from lockyard.wire import LockAcquireInput, LockRenewInput


class HoldThatEndsMeanwhile(Hold):
    """Its block is left by another thread as soon as one has seen that it goes on."""

    looks = 0

    @property
    def is_over(self):
        self.looks += 1
        return self.looks > 1


class HoldThatIsLostMeanwhile(Hold):
    """It is lost as soon as a block within its own has seen that it is good."""

    def check(self):
        super().check()
        self._lose("superseded")


class HoldThatIsOverMeanwhile(Hold):
    """Its block is left by another thread as soon as one within it has seen that it is good."""

    def check(self):
        super().check()
        self.stop()


def no_more_threads(_):
    raise RuntimeError("can't start new thread")


def interrupt_after(kind):
    """Ctrl-C while the caller waits for such a thread to begin."""
    start = threading.Thread.start

    def begin(thread):
        start(thread)
        if kind in thread.name:
            raise KeyboardInterrupt()

    return begin


def no_more_threads_but(kind):
    start = threading.Thread.start
    return lambda thread: (start if kind in thread.name else no_more_threads)(thread)


class ClientTest(LockCase):
    def test_a_block_that_is_left_in_another_context_is_released(self):
        lock = self.client.lock(self.name)
        contextvars.copy_context().run(lock.__enter__)
        self.assertEqual(self.inspect()["state"], "held")
        contextvars.copy_context().run(lock.__exit__, None, None, None)
        self.assertEqual(self.inspect()["state"], "free")

    def test_a_task_that_is_cancelled_leaves_the_stop_of_its_caller_alone(self):
        stop = threading.Event()

        async def wait_for_it():
            async with self.client.lock(self.name, own_hold=True, stop=stop):
                self.fail("It is held.")

        async def cancel_the_wait():
            waiting = asyncio.ensure_future(wait_for_it())
            await asyncio.to_thread(self.until, lambda: len(self.inspect()["waiters"]) == 1)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting

        with self.client.lock(self.name):
            asyncio.run(cancel_the_wait())
            self.until(lambda: not self.inspect()["waiters"])
        self.assertFalse(stop.is_set())

    def test_the_stop_of_its_caller_ends_the_wait_of_a_task(self):
        stop = threading.Event()

        async def wait_for_it():
            async with self.client.lock(self.name, own_hold=True, stop=stop):
                self.fail("It is held.")

        with self.client.lock(self.name):
            threading.Timer(0.1, stop.set).start()
            with self.assertRaises(WaitAbandoned):
                asyncio.run(wait_for_it())

    def test_a_grant_that_comes_after_the_loop_of_its_task_is_closed_is_given_back(self):
        is_closed = threading.Event()

        def late(client, ask, wait_ms, stop):
            grant = await_grant(client, ask, wait_ms, None)
            is_closed.wait(PATIENCE_S)
            return grant

        async def wait_for_it():
            async with self.client.lock(self.name, lease_ms=60_000):
                self.fail("It was given up.")

        with mock.patch("lockyard.lock.await_grant", late):
            with self.assertRaises(asyncio.TimeoutError):
                asyncio.run(asyncio.wait_for(wait_for_it(), 0.2))
        self.until(lambda: self.inspect()["state"] == "held")
        is_closed.set()
        self.until(lambda: self.inspect()["state"] == "free")

    async def work_within(self, begun):
        async with self.client.lock(self.name):
            async with self.client.lock(self.name):
                begun.set()
                await asyncio.sleep(2 * PATIENCE_S)

    async def raised_within(self, end):
        """What a task of its own raises that works under the hold which `end` then ends."""
        begun = asyncio.Event()
        task = asyncio.ensure_future(self.work_within(begun))
        await begun.wait()
        await end()
        await asyncio.wait({task}, timeout=PATIENCE_S)
        self.assertTrue(task.done())
        return task.exception()

    def test_a_task_within_the_block_of_another_is_cancelled_when_that_is_lost(self):
        with self.assertRaises(LockLost) as lost:
            with self.client.lock(self.name, lease_ms=1_500) as hold:
                step = {"name": self.name, "owner": hold.owner, "token": hold.token}
                release = lambda: asyncio.to_thread(self.client.release, step)
                within = asyncio.run(self.raised_within(release))
        self.assertEqual([within.token, within.cause], [hold.token, lost.exception.cause])

    def test_a_task_within_the_block_of_another_is_cancelled_when_that_ends(self):
        async def main():
            lock = self.client.lock(self.name)
            await lock.__aenter__()
            lost = await self.raised_within(lambda: lock.__aexit__(None, None, None))
            self.assertEqual(lost.cause, "released")

        asyncio.run(main())

    def lose(self, hold):
        step = {"name": self.name, "owner": hold.owner, "token": hold.token}
        return self.client.release(step)

    def test_a_block_that_joins_a_hold_while_that_is_lost_hears_of_it_once(self):
        heard = []
        with self.assertRaises(LockLost):
            with self.client.lock(self.name) as hold:
                hold.__class__ = HoldThatIsLostMeanwhile
                with self.client.lock(self.name, on_lost=heard.append):
                    pass
        self.assertEqual(heard, [hold.loss])

    def test_a_task_that_joins_a_hold_while_that_is_lost_is_cancelled(self):
        with self.assertRaises(LockLost):
            with self.client.lock(self.name) as hold:
                hold.__class__ = HoldThatIsLostMeanwhile
                ended = asyncio.run(self.end_of_joined_task())
        self.assertIsInstance(ended, LockLost)

    def test_a_task_that_joins_a_hold_while_that_ends_is_cancelled(self):
        with self.client.lock(self.name) as hold:
            hold.__class__ = HoldThatIsOverMeanwhile
            self.assertIsInstance(asyncio.run(self.end_of_joined_task()), LockLost)

    async def end_of_joined_task(self):
        """What ends a task under the lock that goes on for as long as it may; None: nothing did."""

        async def work():
            async with self.client.lock(self.name):
                await asyncio.sleep(2 * PATIENCE_S)

        task = asyncio.ensure_future(work())
        await asyncio.wait({task}, timeout=PATIENCE_S)
        return task.exception() if task.done() else None

    def test_what_ends_the_program_is_not_hidden_behind_a_loss(self):
        for ending in (KeyboardInterrupt, SystemExit):
            with self.assertRaises(ending):
                with self.client.lock(self.name) as hold:
                    self.lose(hold)
                    raise ending()
            self.assertEqual(hold.loss.cause, "released")

    def test_a_cancellation_by_the_caller_of_a_task_is_not_hidden_behind_a_loss(self):
        async def work(begun):
            async with self.client.lock(self.name) as hold:
                await asyncio.to_thread(self.lose, hold)
                begun.set()
                await asyncio.sleep(PATIENCE_S)

        async def main():
            begun = asyncio.Event()
            task = asyncio.ensure_future(work(begun))
            await begun.wait()
            task.cancel()
            await asyncio.wait({task}, timeout=PATIENCE_S)
            self.assertTrue(task.cancelled())

        asyncio.run(main())

    @unittest.skipUnless(hasattr(asyncio.Task, "cancelling"), "needs Python 3.11")
    def test_a_cancellation_by_the_caller_comes_through_together_with_that_of_a_loss(self):
        async def until_cancelled(cancel):
            try:
                await asyncio.sleep(PATIENCE_S)
            except asyncio.CancelledError:
                if cancel:
                    asyncio.current_task().cancel()
                raise

        async def work(cancel, is_nested):
            async with self.client.lock(self.name, lease_ms=1_500) as hold:
                await asyncio.to_thread(self.lose, hold)
                if is_nested:
                    async with self.client.lock(self.name):
                        await until_cancelled(cancel)
                await until_cancelled(cancel)

        async def main(cancel, is_nested):
            task = asyncio.ensure_future(work(cancel, is_nested))
            await asyncio.wait({task}, timeout=PATIENCE_S)
            self.assertEqual(task.cancelled(), cancel)
            if not cancel:
                self.assertIsInstance(task.exception(), LockLost)

        for cancel in (True, False):
            for is_nested in (True, False):
                asyncio.run(main(cancel, is_nested))

    def test_a_lock_is_entered_once(self):
        lock = self.client.lock(self.name)
        with lock:
            with self.assertRaises(LockyardError) as refused:
                lock.__enter__()
            self.assertEqual(self.inspect()["state"], "held")
        self.assertEqual(refused.exception.reason, "INVALID")
        self.assertEqual(self.inspect()["state"], "free")

    def test_a_forked_process_is_another_owner_and_does_not_release_the_hold_of_its_parent(self):
        lock = self.client.lock(self.name)
        hold = lock.__enter__()
        child = os.fork()
        if child == 0:
            self.leave_as_forked_process(lock, hold.owner)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.WEXITSTATUS(status), 0)
        self.assertEqual(self.inspect()["state"], "held")
        lock.__exit__(None, None, None)
        self.assertEqual(self.inspect()["state"], "free")

    def leave_as_forked_process(self, lock, parent):
        code = 1
        try:
            lock.__exit__(None, None, None)
            is_named = f":{os.getpid()}:" in self.client.owner and self.client.owner != parent
            code = 0 if is_named else 2
        finally:
            os._exit(code)

    def test_a_forked_process_does_not_wait_for_a_thread_of_its_parent(self):
        # As one that asks for the addresses just then.
        with self.client.addresses._lock:
            child = os.fork()
            if child == 0:
                self.inspect_as_forked_process()
        ended = []
        try:
            self.until(lambda: ended.append(os.waitpid(child, os.WNOHANG)) or ended[-1][0])
            self.assertEqual(os.waitstatus_to_exitcode(ended[-1][1]), 0)
        finally:
            if not ended[-1][0]:
                os.kill(child, signal.SIGKILL)

    def inspect_as_forked_process(self):
        code = 1
        try:
            code = 0 if self.inspect()["state"] == "free" else 2
        finally:
            os._exit(code)

    def test_a_forked_process_does_not_work_under_the_hold_of_its_parent(self):
        with self.client.lock(self.name):
            child = os.fork()
            if child == 0:
                self.ask_as_forked_process()
            _, status = os.waitpid(child, 0)
        self.assertEqual(os.WEXITSTATUS(status), 0)

    def ask_as_forked_process(self):
        code = 1
        try:
            with self.client.lock(self.name, wait_ms=0):
                code = 2
        except LockTimeout:
            code = 0
        finally:
            os._exit(code)

    def test_a_look_at_a_server_that_hangs_ends_also_where_nothing_waits_for_it(self):
        closed = threading.Event()

        class Slow(BaseHTTPRequestHandler):
            def do_GET(self):
                closed.wait(2 * PATIENCE_S)

            def do_POST(self):
                time.sleep(1.5)
                body = b'{"result":{"data":{"outcome":"held"}}}'
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
            threading.Thread(target=server.serve_forever).start()
            try:
                at = f"http://127.0.0.1:{server.server_port}"
                client = Client(f"{at}/a,{at}/b", "key")
                client.acquire({"name": self.name, "leaseMs": 1_000})
                names = lambda: {thread.name for thread in threading.enumerate()}
                self.until(lambda: "lockyard-request" not in names())
            finally:
                closed.set()
                server.shutdown()

    def test_a_hold_whose_block_ends_while_a_thread_checks_it_is_not_lost(self):
        with self.client.lock(self.name) as hold:
            hold.__class__ = HoldThatEndsMeanwhile
            self.assertIsNone(hold.check_lost())
            hold.__class__ = Hold

    def test_a_hold_for_which_there_are_no_more_threads_is_renewed_and_released(self):
        for lease_ms in (900, 3_000):
            with self.client.lock(self.name, lease_ms=lease_ms) as hold:
                granted_until = hold.expires_at
                with mock.patch.object(threading.Thread, "start", no_more_threads):
                    self.until(lambda: hold.expires_at > granted_until + lease_ms)
                    hold.check()
                    self.assertEqual(self.inspect()["state"], "held")
        with mock.patch.object(threading.Thread, "start", no_more_threads):
            self.assertEqual(self.inspect()["state"], "free")

    def test_a_lock_that_no_thread_could_renew_is_given_back(self):
        async def take_in_task():
            with mock.patch.object(threading.Thread, "start", no_more_threads_but("async")):
                async with self.client.lock(self.name):
                    self.fail("It would not be renewed.")

        def take():
            with mock.patch.object(threading.Thread, "start", no_more_threads):
                with self.client.lock(self.name):
                    self.fail("It would not be renewed.")

        for attempt in (take, lambda: asyncio.run(take_in_task())):
            with self.assertRaises(RuntimeError):
                attempt()
            self.assertEqual(self.inspect()["state"], "free")

    def test_an_interrupt_while_the_block_begins_leaves_nothing_held(self):
        with mock.patch.object(threading.Thread, "start", interrupt_after("renew")):
            with self.assertRaises(KeyboardInterrupt):
                with self.client.lock(self.name):
                    self.fail("It was interrupted.")
        self.assertEqual(self.inspect()["state"], "free")
        self.until(lambda: not [t for t in threading.enumerate() if self.name in t.name])

    def test_an_interrupt_during_the_release_leaves_nothing_held(self):
        send, ids = self.client.send, []

        def interrupted(procedure, kind, ask, **options):
            if procedure == "lock.release":
                ids.append(ask["requestId"])
            if len(ids) == 1:
                raise KeyboardInterrupt()
            return send(procedure, kind, ask, **options)

        with mock.patch.object(self.client, "send", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                with self.client.lock(self.name):
                    pass
        self.assertEqual(self.inspect()["state"], "free")
        self.assertEqual(len(set(ids)), 1)

    def test_a_task_that_waits_does_not_look_again_and_again_whether_it_has_to_stop(self):
        looks = []

        class CountedStop(Stop):
            def is_set(self):
                looks.append(self)
                return super().is_set()

        async def wait_for_it():
            async with self.client.lock(self.name, own_hold=True, wait_ms=1_000):
                self.fail("It is held.")

        with self.client.lock(self.name):
            with mock.patch("lockyard.lock.Stop", CountedStop):
                with self.assertRaises(LockTimeout):
                    asyncio.run(wait_for_it())
        self.assertLess(len(looks), 10)

    def test_types_say_what_may_be_left_out_and_what_callbacks_are_given(self):
        self.assertEqual(LockAcquireInput.__required_keys__, {"name", "leaseMs"})
        self.assertEqual(LockRenewInput.__required_keys__, {"name", "token", "leaseMs"})
        hints = typing.get_type_hints(Client.lock)
        self.assertIn(typing.Callable[[LockLost], None], typing.get_args(hints["on_lost"]))
        modes = ("exclusive", "shared", "permit")
        self.assertEqual(typing.get_args(hints["mode"]), modes)

    def test_errors_say_which_address_cannot_be_reached_and_that_a_wait_was_given_up(self):
        with self.assertRaisesRegex(LockyardError, "reached at http://127.0.0.1:1 "):
            Client("http://127.0.0.1:1").inspect({"name": self.name})
        stop = threading.Event()
        stop.set()
        with self.assertRaisesRegex(WaitAbandoned, "."):
            self.client.lock(self.name, stop=stop).__enter__()

    def test_a_name_with_bytes_that_are_no_text_is_named_as_what_is_wrong(self):
        name = os.fsdecode(b"report-\xff")
        away = Client("http://127.0.0.1:1")
        refusal = "INVALID: name: must be well-formed Unicode"
        for ask in (lambda: away.lock(name).__enter__(), lambda: away.inspect({"name": name})):
            with self.assertRaisesRegex(LockyardError, refusal):
                ask()
        text = f"{self.name} \u00fc \U0001f512"
        with self.client.lock(text):
            self.assertEqual(self.inspect_named(text)["state"], "held")

    def test_a_name_that_is_not_resolved_in_time_counts_as_no_connection(self):
        resolved, begun_at = threading.Event(), time.monotonic()
        self.addCleanup(resolved.set)
        with mock.patch("socket.getaddrinfo", lambda *_: resolved.wait(PATIENCE_S)):
            with self.assertRaisesRegex(LockyardError, "BACKEND_DOWN: .* cannot be reached"):
                Client("http://lockyard.invalid").lock(self.name, wait_ms=0).__enter__()
        self.assertLess(time.monotonic() - begun_at, 5)

    def test_a_run_whose_name_has_bytes_that_are_no_text_may_lock(self):
        run = {"GITHUB_RUN_ID": "", "CI_JOB_ID": "", "BUILDKITE_JOB_ID": ""}
        run["BUILD_TAG"] = os.fsdecode(b"caf\xe9-7")
        with mock.patch.dict(os.environ, run):
            client = Client()
        with client.lock(self.name):
            self.assertEqual(self.inspect()["state"], "held")

    def inspect_named(self, name):
        return self.client.inspect({"name": name})

    def test_a_program_that_ends_within_a_generator_releases_its_lock(self):
        program = [
            "from lockyard import Client",
            "def numbers():",
            f"    with Client().lock({self.name!r}):",
            "        yield 1",
            "present = numbers()",
            "next(present)",
        ]
        subprocess.run([sys.executable, "-c", "\n".join(program)], timeout=PATIENCE_S, check=True)
        self.assertEqual(self.inspect()["state"], "free")

    def test_a_task_for_which_there_are_no_more_threads_releases_its_lock(self):
        async def work():
            async with self.client.lock(self.name):
                refusal = mock.patch.object(threading.Thread, "start", no_more_threads)
                refusal.start()
                self.addCleanup(refusal.stop)

        asyncio.run(work())
        self.assertEqual(self.inspect()["state"], "free")


if __name__ == "__main__":
    unittest.main()
