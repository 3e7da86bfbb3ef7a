"""Tests of encrypted connections."""

import json
import ssl
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from unittest import mock

from lockyard import Client, LockyardError


class Free(BaseHTTPRequestHandler):
    def do_GET(self):
        data = {"state": "free", "holders": [], "waiters": []}
        body = json.dumps({"result": {"data": data}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class QuietServer(HTTPServer):
    def handle_error(self, *_):
        """A client that does not accept the certificate."""


class TlsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cert, key = Path(folder.name, "cert.pem"), Path(folder.name, "key.pem")
        made = ["-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", self.cert, "-days", "2"]
        names = ["-subj", "/CN=A server", "-addext", "subjectAltName=IP:127.0.0.1"]
        subprocess.run(["openssl", "req", "-x509", *made, *names], check=True, capture_output=True)
        self.server = QuietServer(("127.0.0.1", 0), Free)
        here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        here.load_cert_chain(self.cert, key)
        self.server.socket = here.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def client(self, **options):
        return Client(f"https://127.0.0.1:{self.server.server_port}", "key", **options)

    def inspect(self, client):
        return client.inspect({"name": "job"})["state"]

    def test_the_known_authorities_are_read_once_and_again_when_a_certificate_is_not_accepted(self):
        create, reads = ssl.create_default_context, []

        def read():
            reads.append(len(reads))
            return create(cafile=self.cert if len(reads) > 1 else None)

        client = self.client()
        with mock.patch("ssl.create_default_context", read):
            with self.assertRaisesRegex(LockyardError, "^BACKEND_DOWN: .*CERTIFICATE_VERIFY"):
                self.inspect(client)
            for _ in range(3):
                self.assertEqual(self.inspect(client), "free")
        self.assertEqual(len(reads), 2)

    def test_a_context_may_be_given_as_for_a_certificate_of_the_client(self):
        given = ssl.create_default_context(cafile=self.cert)
        self.assertEqual(self.inspect(self.client(ssl_context=given)), "free")


if __name__ == "__main__":
    unittest.main()
