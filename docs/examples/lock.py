"""Takes a Lockyard lock, works while renewing it, and releases it. Needs Python 3.9 and nothing else.

    export LOCKYARD_URL=http://127.0.0.1:3000 LOCKYARD_API_KEY=...
    python3 lock.py invoices:2026-11 --wait-ms 60000

LOCKYARD_URL may name several servers of one database, separated by commas: when one fails, the next is asked.

Ends with 0 when the work is done, 1 when the lock was lost on the way, 2 for wrong usage or configuration (an argument, or
an API key that is missing or not valid), 69 when there is no server or it cannot do this now, and 75 when another caller
has the lock.
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

# A request is answered within 25 s, then the wait goes on with the next one.
REPLY_MAX_S = 35

# A server that does not answer, or says that it cannot do this now, is asked again for so long beyond the wait.
RETRY_FOR_S = 5

# An answer faster than this, and yet queued, comes from a server that is shutting down.
AT_ONCE_S = 0.2


class Refused(Exception):
    """A refusal of the server. `reason` is one of the API's names, such as INVALID or BACKEND_DOWN."""

    def __init__(self, reason, message, retry_after_s=None):
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.retry_after_s = retry_after_s


class NotGranted(Exception):
    """Another caller has the lock. `answer` says who, and when to ask again."""

    def __init__(self, answer):
        holders = ", ".join(holder["owner"] for holder in answer.get("holders", []))
        super().__init__(f"{answer['outcome']}{': ' + holders if holders else ''}")
        self.answer = answer


class Lockyard:
    """One or several Lockyard servers of one database, spoken to with an API key."""

    def __init__(self, urls, api_key, owner):
        self.urls = [url.rstrip("/") for url in urls]
        self.url = self.urls[0]
        self.api_key = api_key
        self.owner = owner

    def call(self, procedure, body, timeout_s=REPLY_MAX_S):
        """One POST. Raises `Refused`, or `OSError` when no answer came: then it may have been done or not."""
        url = self.url
        try:
            return self.post(f"{url}/api/v1/{procedure}", body, timeout_s)
        except (Refused, OSError) as error:
            if is_server_failure(error):
                self.leave(url)
            raise

    def leave(self, url):
        """The next try goes to the next server, unless another thread has seen to that."""
        if self.url == url:
            self.url = self.urls[(self.urls.index(url) + 1) % len(self.urls)]

    def post(self, url, body, timeout_s):
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as reply:
                return answer_in(reply)
        except urllib.error.HTTPError as error:
            raise refusal_in(error) from None
        except http.client.HTTPException as error:
            raise OSError(f"no whole answer: {error!r}") from None

    def acquire(self, name, lease_ms, wait_ms=0):
        """Takes the lock or raises `NotGranted`. However often it has to ask, it is one acquire: one request id."""
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
                if time.monotonic() - sent_at < AT_ONCE_S:
                    self.leave(url)
                    time.sleep(AT_ONCE_S)
        except NotGranted:
            raise
        except BaseException:
            self.cancel(ask)
            raise

    def cancel(self, ask):
        """Leaves the queue, and gives back what was granted unheard. If this fails too, the lease ends by itself."""
        try:
            self.call("lock.cancel", {key: ask[key] for key in ("name", "owner", "requestId")}, 5)
        except (Refused, OSError):
            pass


class Hold:
    """A lock that is held while the `with` block runs. `lost` is set as soon as it is not sure any more."""

    def __init__(self, lockyard, ask, answer, sent_at):
        self.lockyard = lockyard
        self.lease_ms = ask["leaseMs"]
        self.token = answer["token"]
        self.lost = threading.Event()
        self.why_lost = None
        self._mine = {"name": ask["name"], "owner": ask["owner"], "token": self.token}
        # Counted from before the question: too short at worst, never too long.
        self._sure_until = sent_at + answer["expiresInMs"] / 1000
        self._took_long = time.monotonic() - sent_at > self.lease_ms / 3000
        self._ended = threading.Event()
        self._renewer = threading.Thread(target=self._renew_until_ended, daemon=True)

    def __enter__(self):
        if self._took_long:
            # After a wait the reply does not say when it was made; a renewal does.
            self._sure_until = time.monotonic() + self.lease_ms / 1000
            self._renew()
        self._renewer.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._renewer.join()
        if not self.lost.is_set():
            self._release()

    def _renew_until_ended(self):
        while not self.lost.is_set() and not self._ended.wait(self.lease_ms / 3000):
            self._renew()

    def _renew(self):
        renewal = {**self._mine, "leaseMs": self.lease_ms}
        while True:
            sent_at = time.monotonic()
            try:
                # Half of what is left, so that there is time for another try.
                left_s = max(0.05, (self._sure_until - sent_at) / 2)
                answer = self.lockyard.call("lock.renew", renewal, left_s)
            except (Refused, OSError) as error:
                if time.monotonic() > self._sure_until or not may_repeat(error):
                    return self._lose(f"not renewed: {error}")
                if self._ended.wait(0.2):
                    return None
                continue
            if answer["outcome"] == "lost":
                return self._lose(f"{answer['cause']}{' by ' + answer['by'] if 'by' in answer else ''}")
            self._sure_until = sent_at + answer["expiresInMs"] / 1000
            return None

    def _lose(self, why):
        self.why_lost = why
        self.lost.set()

    def _release(self):
        """One request id, so that asking again after a lost reply releases once. At worst the lease ends by itself."""
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
    """Whether asking again may help: no answer, or one that says so."""
    return not isinstance(error, Refused) or error.reason in {
        "BACKEND_DOWN",
        "CONTENDED",
        "NAMESPACE_FULL",
        "RATE_LIMITED",
        "UNKNOWN",
    }


def is_server_failure(error):
    """Whether another server may do better."""
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
    """Your work, in steps: before each, look whether the lock is still yours, and pass its token on to what you write to."""
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
            parser.error(f"each URL in LOCKYARD_URL must begin with http:// or https://, unlike {url!r}")
    api_key = os.environ.get("LOCKYARD_API_KEY", "").strip()
    if not api_key:
        parser.error("LOCKYARD_API_KEY is not set; create a key: npm run -s lockyard -- keys create")
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
