"""What only the client for Python has to do with: contexts, tasks, threads and forks.

`LOCKYARD_URL` and `LOCKYARD_API_KEY` say which server it is tested with.
"""

import contextvars
import secrets
import time
import unittest

from lockyard import Client

PATIENCE_S = 20


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.name = f"python {secrets.token_hex(8)}"

    def inspect(self):
        return self.client.inspect({"name": self.name})

    def until(self, is_so):
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_a_block_that_is_left_in_another_context_is_released(self):
        lock = self.client.lock(self.name)
        contextvars.copy_context().run(lock.__enter__)
        self.assertEqual(self.inspect()["state"], "held")
        contextvars.copy_context().run(lock.__exit__, None, None, None)
        self.assertEqual(self.inspect()["state"], "free")


if __name__ == "__main__":
    unittest.main()
