"""The addresses of Lockyard, the API key, and the identity of the caller."""

import os
import re
import secrets
import socket
import threading
from typing import Callable, Dict, List, Optional, TypeVar
from urllib.parse import urlsplit

from .errors import LockyardError
from .request_text import json_of

A = TypeVar("A")

VERSION = "lockyard-python 0.1.0"

_META_MAX_BYTES = 1_024
_CI_RUN_VARIABLES = ("GITHUB_RUN_ID", "CI_JOB_ID", "BUILDKITE_JOB_ID", "BUILD_TAG")
_INITIAL_TIME_NAMESPACE = "4026531834"


class Addresses:
    """The addresses of one Lockyard; one is in use: the first until it fails, then the next."""

    def __init__(self, text: str):
        entries = [entry.strip() for entry in text.split(",")]
        self._all = [
            _read_url(
                entry,
                f"Entry {at + 1} of Lockyard's URLs" if len(entries) > 1 else "Lockyard's URL",
            )
            for at, entry in enumerate(entries)
        ]
        for at, url in enumerate(self._all):
            if url in self._all[:at]:
                raise invalid(f"Entry {at + 1} of Lockyard's URLs repeats an earlier one.")
        self._at = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._all)

    def forget_threads(self) -> None:
        """Called in a forked process, where the thread that held the lock does not exist."""
        self._lock = threading.Lock()

    def in_order(self) -> List[str]:
        with self._lock:
            return self._all[self._at :] + self._all[: self._at]

    def leave(self, address: str) -> None:
        """Moves to the next one if `address` is in use: several calls may notice one failure."""
        with self._lock:
            if self._all[self._at] == address:
                self._at = (self._at + 1) % len(self._all)


def invalid(message: str) -> LockyardError:
    return LockyardError("INVALID", message)


class ApiKey:
    """The key in use: the given one, or that of the environment."""

    def __init__(self, given: Optional[str]):
        self.is_given = bool(given)
        self._text = _usable_key(given or environment_key())

    def use(self, call: Callable[[str], A]) -> A:
        """Calls once more with another key if the first is refused, for then nothing was done."""
        used = self._text
        try:
            return call(used)
        except LockyardError as error:
            if error.reason != "UNAUTHENTICATED" or not self._replace(used):
                raise
        return call(self._text)

    def _replace(self, refused: str) -> bool:
        """Reads the file of the environment again, in case the refused key was rotated, and returns
        whether another key is in use now. A file that cannot be read changes nothing."""
        if not self.is_given and self._text == refused:
            try:
                self._text = _usable_key(environment_key())
            except LockyardError:
                pass
        return self._text != refused


def _usable_key(given: Optional[str]) -> str:
    key = needed(given, "api_key", "LOCKYARD_API_KEY").strip()
    if re.fullmatch("[!-~]+", key):
        return key
    raise invalid("The API key has characters that no key has.")


def environment_key() -> Optional[str]:
    """`LOCKYARD_API_KEY`, or the content of the file that `LOCKYARD_API_KEY_FILE` names."""
    key, file = os.environ.get("LOCKYARD_API_KEY"), os.environ.get("LOCKYARD_API_KEY_FILE")
    if not file:
        return key
    if key:
        raise invalid("LOCKYARD_API_KEY and LOCKYARD_API_KEY_FILE are both set: set one.")
    try:
        # What is not UTF-8 is no key, and is refused as such.
        with open(file, encoding="utf-8", errors="replace") as content:
            text = content.read().rstrip("\r\n")
    except OSError as error:
        raise invalid(
            f"The file of LOCKYARD_API_KEY_FILE cannot be read ({error.strerror}): {file}"
        ) from None
    if not text:
        raise invalid(f"The file of LOCKYARD_API_KEY_FILE is empty: {file}")
    return text


def needed(value: Optional[str], option: str, variable: str) -> str:
    if value:
        return value
    raise invalid(f"Missing option `{option}`: pass it, or set {variable}.")


def request_id() -> str:
    """Globally unique: for request ids and default owners."""
    return secrets.token_urlsafe(16)


def process_meta() -> Dict[str, str]:
    """What identifies this process in the `meta` of its holds, so that a witness can observe it."""
    host = _text_of(socket.gethostname())[:60]
    meta = {"host": host, "pid": str(os.getpid()), **_kernel_identity()}
    env = os.environ
    pod = env.get("KUBERNETES_SERVICE_HOST") and (env.get("POD_NAME") or env.get("HOSTNAME"))
    ci_run = next((env[name] for name in _CI_RUN_VARIABLES if env.get(name)), None)
    if pod:
        meta["pod"] = _text_of(pod)[:100]
    if ci_run:
        meta["ciRun"] = _text_of(ci_run)[:100]
    return meta


def _text_of(name: str) -> str:
    """With "?" for bytes that are no text: they would make every call of the process invalid."""
    return name.encode("utf-8", "replace").decode("utf-8")


def meta_with(identity: Dict[str, str], own: Dict[str, str]) -> Dict[str, str]:
    """The caller's entries, which take precedence, and what identifies the process; of that only
    `host`, `pid` and `version` if there is no room for all."""
    whole = {**identity, **own}
    if len(json_of({"meta": whole}).encode()) <= len('{"meta":}') + _META_MAX_BYTES:
        return whole
    return {**{key: identity[key] for key in ("host", "pid", "version")}, **own}


def _kernel_identity() -> Dict[str, str]:
    """Empty if the kernel does not report it, or the report could be misread."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot_id = file.read().strip()
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            stat = file.read()
        is_ours = os.readlink("/proc/self") == str(os.getpid())
        pid_namespace = _namespace("pid")
        time_namespace = _namespace("time", _INITIAL_TIME_NAMESPACE)
    except OSError:
        return {}
    if not (boot_id and pid_namespace and is_ours and time_namespace == _INITIAL_TIME_NAMESPACE):
        return {}
    # The second field is the program's name in brackets, and may contain spaces and brackets.
    start = stat[stat.rindex(")") + 2 :].split(" ")[19]
    return {"bootId": boot_id, "pidNamespace": pid_namespace, "pidStart": start}


def _namespace(kind: str, default: Optional[str] = None) -> Optional[str]:
    try:
        found = re.search(r"\[(\d+)\]$", os.readlink(f"/proc/self/ns/{kind}"))
    except OSError:
        return default
    return found.group(1) if found else default


def _read_url(text: str, subject: str) -> str:
    """Never quotes what it refuses, since that may be a secret."""
    if not text:
        raise invalid(f"{subject} is empty.")
    try:
        url = urlsplit(text)
        is_http = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        is_http = False
    if not is_http:
        raise invalid(f"{subject} must be an http or https URL, such as http://127.0.0.1:3000.")
    if url.username is not None or url.password is not None:
        raise invalid(f"{subject} must not contain a user or a password.")
    if "?" in text or "#" in text:
        raise invalid(f"{subject} must not have a query or a fragment.")
    return text.rstrip("/")
