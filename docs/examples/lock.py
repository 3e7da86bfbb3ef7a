"""Takes a Lockyard lock, works while renewing it, and releases it. Needs only Python 3.9.

    export LOCKYARD_URL=http://127.0.0.1:3000 LOCKYARD_API_KEY=...
    python3 lock.py invoices:2026-11 --wait-ms 60000

LOCKYARD_URL can name several servers of one database, separated by commas: when one fails, the
next one is tried.

Exit codes: 0 the work is done, 1 the lock was lost meanwhile, 2 wrong usage or configuration
(such as an API key that is missing or not valid), 69 no server responds or the service is
temporarily unavailable, 75 another caller holds the lock.
"""

import argparse
import http.client
import json
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

# A waiting request is answered within 25 s; the next request continues the wait.
REPLY_MAX_S = 35

# For how long after the end of the wait a request that failed temporarily is repeated.
RETRY_FOR_S = 5

# A server that answers `queued` sooner than this is shutting down.
EARLY_S = 0.2


class Refused(Exception):
    """The server refused the call. `reason` is one of those of the API, such as BACKEND_DOWN."""

    def __init__(self, reason, message, retry_after_s=None):
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.retry_after_s = retry_after_s


class NotGranted(Exception):
    """Another caller holds the lock. `answer` says who, and when to try again."""

    def __init__(self, answer):
        holders = ", ".join(holder["owner"] for holder in answer.get("holders", []))
        super().__init__(f"{answer['outcome']}{': ' + holders if holders else ''}")
        self.answer = answer


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        """None: a redirect would turn a command into a query, and pass on the key."""


class Lockyard:
    """One or several Lockyard servers of one database."""

    def __init__(self, urls, api_key, owner):
        self.urls = [url.rstrip("/") for url in urls]
        self.url = self.urls[0]
        self.opener = urllib.request.build_opener(NoRedirects)
        self.api_key = api_key
        self.owner = owner

    def call(self, procedure, body, timeout_s=REPLY_MAX_S):
        """Sends one POST. Raises `Refused`, or `OSError` if there was no answer: the call may or
        may not have taken effect then.
        """
        url = self.url
        try:
            return self.post(f"{url}/api/v1/{procedure}", body, timeout_s)
        except (Refused, OSError) as error:
            if is_server_failure(error):
                self.leave(url)
            raise

    def leave(self, url):
        """Switches to the next server, unless another thread has already done so."""
        if self.url == url:
            self.url = self.urls[(self.urls.index(url) + 1) % len(self.urls)]

    def post(self, url, body, timeout_s):
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with self.opener.open(request, timeout=timeout_s) as reply:
                return answer_in(reply)
        except urllib.error.HTTPError as error:
            raise refusal_in(error) from None
        except http.client.HTTPException as error:
            raise OSError(f"no whole answer: {error!r}") from None

    def acquire(self, name, lease_ms, wait_ms=0):
        """Acquires the lock or raises `NotGranted`. All its requests have one request id, so that
        the server counts them as one.
        """
        ask = {
            "name": name,
            "owner": self.owner,
            "leaseMs": lease_ms,
            "waitMs": wait_ms,
            "requestId": str(uuid.uuid4()),
            "meta": {"host": socket.gethostname(), "pid": str(os.getpid())},
        }
        give_up_at = time.monotonic() + wait_ms / 1000 + RETRY_FOR_S
        try:
            while True:
                sent_at = time.monotonic()
                url = self.url
                try:
                    answer = self.call("lock.acquire", ask)
                except (Refused, OSError) as error:
                    if time.monotonic() > give_up_at or not may_repeat(error):
                        raise
                    time.sleep(getattr(error, "retry_after_s", None) or 1)
                    continue
                if answer["outcome"] == "granted":
                    return Hold(self, ask, answer, sent_at)
                if answer["outcome"] != "queued":
                    raise NotGranted(answer)
                if time.monotonic() - sent_at < EARLY_S:
                    self.leave(url)
                    time.sleep(EARLY_S)
        except NotGranted:
            raise
        except BaseException:
            self.cancel(ask)
            raise

    def cancel(self, ask):
        """Leaves the queue, and releases the lock if it was granted but the answer was lost. If
        this fails too, the lease expires.
        """
        try:
            self.call("lock.cancel", {key: ask[key] for key in ("name", "owner", "requestId")}, 5)
        except (Refused, OSError):
            pass


class Hold:
    """A lock that is held while the `with` block runs. `lost` is set as soon as the lock may no
    longer be held.
    """

    def __init__(self, lockyard, ask, answer, sent_at):
        self.lockyard = lockyard
        self.lease_ms = ask["leaseMs"]
        self.token = answer["token"]
        self.lost = threading.Event()
        self.why_lost = None
        self._mine = {"name": ask["name"], "owner": ask["owner"], "token": self.token}
        self._note_lease(answer, sent_at)
        self._took_long = time.monotonic() - sent_at > self._lease_s / 3
        self._ended = threading.Event()
        self._renewer = threading.Thread(target=self._renew_until_ended, daemon=True)

    def __enter__(self):
        if self._took_long:
            # The answer of a wait does not say when it was sent; a renewal starts the lease again.
            self._sure_until = time.monotonic() + self._lease_s
            self._renew()
        self._renewer.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._renewer.join()
        if not self.lost.is_set():
            self._release()

    def _note_lease(self, answer, sent_at):
        """The server may give less than `lease_ms`: the answer says how much."""
        self._lease_s = answer["expiresInMs"] / 1000
        # Counted from the sending of the request, so that it is never later than on the server.
        self._sure_until = sent_at + self._lease_s

    def _renew_until_ended(self):
        while not self.lost.is_set() and not self._ended.wait(max(0.05, self._lease_s / 3)):
            self._renew()

    def _renew(self):
        renewal = {**self._mine, "leaseMs": self.lease_ms}
        while True:
            sent_at = time.monotonic()
            try:
                # Half of the remaining time, so that there is time for another attempt.
                left_s = max(0.05, (self._sure_until - sent_at) / 2)
                answer = self.lockyard.call("lock.renew", renewal, left_s)
            except (Refused, OSError) as error:
                if time.monotonic() > self._sure_until or not may_repeat(error):
                    return self._lose(f"not renewed: {error}")
                if self._ended.wait(0.2):
                    return None
                continue
            if answer["outcome"] == "lost":
                by = f" by {answer['by']}" if "by" in answer else ""
                return self._lose(answer["cause"] + by)
            self._note_lease(answer, sent_at)
            return None

    def _lose(self, why):
        self.why_lost = why
        self.lost.set()

    def _release(self):
        """All attempts have one request id, so that a release whose answer was lost is not applied
        twice. If all fail, the lease expires.
        """
        step = {**self._mine, "requestId": str(uuid.uuid4())}
        for _ in range(3):
            try:
                answer = self.lockyard.call("lock.release", step, 5)
            except (Refused, OSError) as error:
                if not may_repeat(error):
                    return
                time.sleep(0.2)
                continue
            if answer["outcome"] == "lost":
                self._lose(answer["cause"])
            return


def may_repeat(error):
    """Whether the call can be repeated: there was no answer, or a temporary refusal."""
    return not isinstance(error, Refused) or error.reason in {
        "BACKEND_DOWN",
        "CONTENDED",
        "NAMESPACE_FULL",
        "RATE_LIMITED",
        "UNKNOWN",
    }


def is_server_failure(error):
    """Whether another server may be able to do it."""
    return not isinstance(error, Refused) or error.reason in {"BACKEND_DOWN", "UNKNOWN"}


def answer_in(reply):
    try:
        answer = json.load(reply)["result"]["data"]
        if "outcome" in answer:
            return answer
    except (ValueError, LookupError, TypeError):
        pass
    raise OSError(f"status {reply.status} from something that is not Lockyard")


def refusal_in(error):
    try:
        refusal = json.load(error)["error"]
        data = refusal["data"]
        retry_after_ms = data.get("retryAfterMs")
        return Refused(data["reason"], refusal["message"], retry_after_ms and retry_after_ms / 1000)
    except (ValueError, LookupError, TypeError, AttributeError, http.client.HTTPException):
        return OSError(f"status {error.code} from something that is not Lockyard")


def work(hold, work_ms):
    """Your work, in steps. Before each step, check that the lock is not lost, and send its token
    with every write.
    """
    until = time.monotonic() + work_ms / 1000
    while time.monotonic() < until:
        if hold.lost.wait(0.05):
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description="Work under a lock.")
    parser.add_argument("name")
    parser.add_argument("--lease-ms", type=int, default=30_000)
    parser.add_argument("--wait-ms", type=int, default=0)
    parser.add_argument("--work-ms", type=int, default=1_000)
    args = parser.parse_args()
    urls = os.environ.get("LOCKYARD_URL", "http://127.0.0.1:3000").split(",")
    urls = [url.strip() for url in urls]
    for url in urls:
        if not url.startswith(("http://", "https://")):
            scheme = "must begin with http:// or https://"
            parser.error(f"each URL in LOCKYARD_URL {scheme}, unlike {url!r}")
    api_key = os.environ.get("LOCKYARD_API_KEY", "").strip()
    if not api_key:
        how = "create a key: npm run -s lockyard -- keys create"
        parser.error(f"LOCKYARD_API_KEY is not set; {how}")
    owner = f"{socket.gethostname()}:{os.getpid()}"
    lockyard = Lockyard(urls, api_key, owner)
    try:
        with lockyard.acquire(args.name, args.lease_ms, args.wait_ms) as hold:
            print(f"granted, token {hold.token}", flush=True)
            work(hold, args.work_ms)
    except NotGranted as error:
        print(error)
        return 75
    except (Refused, OSError) as error:
        print(error, file=sys.stderr)
        return 69 if may_repeat(error) else 2
    print(f"lost: {hold.why_lost}" if hold.lost.is_set() else "released")
    return 1 if hold.lost.is_set() else 0


if __name__ == "__main__":
    sys.exit(main())
