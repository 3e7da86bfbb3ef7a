"""What the tests with a server share."""

import secrets
import time
import unittest

from lockyard import Client

PATIENCE_S = 20
BRIEFLY_S = 0.02


class LockCase(unittest.TestCase):
    """A test with a client, and a lock of its own."""

    def setUp(self):
        self.client = Client()
        self.name = f"python {secrets.token_hex(8)}"

    def inspect(self):
        return self.client.inspect({"name": self.name})

    def until(self, is_so):
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(BRIEFLY_S)
