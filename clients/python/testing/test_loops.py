"""Tests of event loops that are closed while tasks wait for locks, or hold them.

`LOCKYARD_URL` and `LOCKYARD_API_KEY` say which server it is tested with.
"""

import asyncio
import threading
import time
import unittest
from unittest import mock

from lock_case import BRIEFLY_S, PATIENCE_S, LockCase
from lockyard import Client, WaitAbandoned
from lockyard.waiting import await_grant


class LoopTest(LockCase):
    def setUp(self):
        super().setUp()
        self.other = Client()
        self.has_begun = False
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda *_: None)
        self.addCleanup(self.loop.close)

    def begin(self, coroutine, is_begun):
        """Runs the loop until `is_begun`; returns the task, which then is still pending."""

        async def main():
            task = asyncio.ensure_future(coroutine)
            end = time.monotonic() + PATIENCE_S
            while not is_begun():
                self.assertLess(time.monotonic(), end)
                await asyncio.sleep(BRIEFLY_S)
            return task

        return self.loop.run_until_complete(main())

    async def work(self, lease_ms):
        async with self.client.lock(self.name, lease_ms=lease_ms):
            self.has_begun = True
            await asyncio.sleep(2 * PATIENCE_S)

    def test_a_grant_for_a_task_whose_loop_was_closed_is_given_back(self):
        with self.other.lock(self.name):
            task = self.begin(self.work(60_000), lambda: self.inspect()["waiters"])
            self.loop.close()
        self.until(lambda: self.inspect()["state"] == "free")
        self.assertFalse(task.done())

    def test_a_grant_on_its_way_to_a_task_is_given_back_when_the_loop_is_closed(self):
        for turns in range(3):
            with self.subTest(turns=turns):
                self.setUp()
                task = self.pending_with_a_grant()
                for _ in range(turns):
                    self.loop.call_soon(self.loop.stop)
                    self.loop.run_forever()
                self.assertEqual(self.inspect()["state"], "held")
                self.loop.close()
                self.until(lambda: self.inspect()["state"] == "free")
                self.assertFalse(task.done())

    def pending_with_a_grant(self):
        """A task that has not run since its lock was granted, and the loop was asked to say so."""
        granted, resumed, sent = threading.Event(), threading.Event(), threading.Event()

        def wait(*args):
            grant = await_grant(*args)
            granted.set()
            resumed.wait(PATIENCE_S)
            return grant

        send = self.loop.call_soon_threadsafe

        def send_and_say(*args):
            send(*args)
            sent.set()

        self.loop.call_soon_threadsafe = send_and_say
        with mock.patch("lockyard.lock.await_grant", wait):
            task = self.begin(self.work(60_000), granted.is_set)
        resumed.set()
        self.assertTrue(sent.wait(PATIENCE_S))
        return task

    def test_a_wait_of_a_task_whose_loop_was_closed_is_given_up(self):
        begun, given_up = threading.Event(), threading.Event()

        def wait(client, ask, wait_ms, stop):
            begun.set()
            self.until(stop.is_set)
            given_up.set()
            raise WaitAbandoned()

        with mock.patch("lockyard.lock.await_grant", wait):
            self.begin(self.work(60_000), begun.is_set)
        self.loop.close()
        self.assertTrue(given_up.wait(PATIENCE_S))

    def test_a_waiter_of_a_task_whose_loop_was_closed_leaves_the_queue_within_seconds(self):
        with self.other.lock(self.name):
            self.begin(self.work(60_000), lambda: self.inspect()["waiters"])
            closed_at = time.monotonic()
            self.loop.close()
            self.until(lambda: not self.inspect()["waiters"])
            self.assertLess(time.monotonic() - closed_at, 10)

    def test_a_hold_whose_loop_was_closed_within_its_block_is_released(self):
        self.begin(self.work(600_000), lambda: self.has_begun)
        self.loop.close()
        self.until(lambda: self.inspect()["state"] == "free")

    def test_a_block_that_is_left_without_a_loop_is_released_at_once(self):
        async def numbers():
            async with self.client.lock(self.name, lease_ms=60_000):
                yield 1
                yield 2

        async def first():
            return await several.__anext__()

        several = numbers()
        self.assertEqual(self.loop.run_until_complete(first()), 1)
        self.loop.close()
        with self.assertRaises(StopIteration):
            several.aclose().send(None)
        self.until(lambda: self.inspect()["state"] == "free")


if __name__ == "__main__":
    unittest.main()
