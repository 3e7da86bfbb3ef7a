"""The agent of the Python client: runs the scenarios' commands, one line of JSON each."""

import asyncio
import json
import math
import queue
import re
import sys
import threading
import time
from typing import Any, Dict

from lockyard import (
    Client,
    LockLost,
    LockTimeout,
    LockUpgradeRefused,
    LockyardError,
    ReleaseUnconfirmed,
    WaitAbandoned,
)

OUT = threading.Lock()
CLIENTS: Dict[str, Client] = {}
WORK: Dict[str, Any] = {}


class WorkFailed(Exception):
    pass


def say(id, event, **facts):
    with OUT:
        sys.stdout.write(json.dumps({"id": id, "event": event, **facts}) + "\n")
        sys.stdout.flush()


def snake(name):
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def client_of(options):
    key = json.dumps(options)
    if key not in CLIENTS:
        CLIENTS[key] = Client(**{snake(name): value for name, value in options.items()})
    return CLIENTS[key]


def lock_options(command, commands):
    id = command["id"]
    options = {snake(name): value for name, value in command["options"].items()}
    stays = options.pop("stays", False)
    if "wait_ms" in options and options["wait_ms"] is None:
        options["wait_ms"] = math.inf

    def lost(_):
        say(id, "aborted")
        commands.put({"do": "look"})

    options["on_lost"] = lost
    options["on_asked_to_release"] = lambda remark: say(id, "remark", what="asked", **remark)
    options["on_renewals_stopped"] = lambda remark: say(id, "remark", what="stopped", **remark)
    return options, stays


def grant_of(hold):
    return {
        "token": hold.token,
        "waitedMs": hold.waited_ms,
        "expiresAt": hold.expires_at,
        "waitedForTraceparent": hold.waited_for_traceparent,
    }


def lock(command):
    id = command["id"]
    commands, stop = WORK[id]
    client = client_of(command["client"])
    options, stays = lock_options(command, commands)

    def work(hold):
        say(id, "begun", **grant_of(hold))
        while True:
            command = commands.get()
            if command["do"] == "finish":
                return "result"
            if command["do"] == "fail":
                raise WorkFailed()
            if command["do"] == "look" and not stays:
                hold.check()
            during(id, client, hold, command)

    return {"result": client.with_lock(command["name"], work, stop=stop, **options)}


async def lock_in_task(command):
    """As `lock`, for `async with`, which cancels the task when the hold is lost."""
    id = command["id"]
    commands, stop = WORK[id]
    client = client_of(command["client"])
    options, stays = lock_options(command, commands)
    try:
        async with client.lock(command["name"], stop=stop, **options) as hold:
            say(id, "begun", **grant_of(hold))
            while True:
                try:
                    await asyncio.sleep(0.01)
                    next_command = commands.get_nowait()
                except queue.Empty:
                    continue
                except asyncio.CancelledError:
                    if not stays:
                        raise
                    continue
                if next_command["do"] == "finish":
                    break
                if next_command["do"] == "fail":
                    raise WorkFailed()
                if next_command["do"] == "nested":
                    await nested_in_task(id, client, next_command)
                during(id, client, hold, next_command)
    except ReleaseUnconfirmed as error:
        error.result = "result"
        raise
    return {"result": "result"}


async def nested_in_task(id, client, command):
    options = nested_options(id, command.pop("options"))
    command["do"] = "done"
    try:
        async with client.lock(command["name"], **options) as inner:
            say(id, "nested", token=inner.token)
    except Exception as error:
        say(id, "nested", **facts(error))


def nested_options(id, asked):
    options = {snake(name): value for name, value in asked.items()}
    options["on_asked_to_release"] = lambda remark: say(id, "remark", what="asked within", **remark)
    return options


def during(id, client, hold, command):
    if command["do"] == "remaining":
        at = time.time() * 1_000
        say(id, "remaining", ms=hold.remaining_ms(), at=at)
    if command["do"] == "step":
        try:
            hold.check()
            say(id, "stepped")
        except LockLost:
            say(id, "refused")
    if command["do"] == "nested":
        options = nested_options(id, command["options"])
        try:
            with client.lock(command["name"], **options) as inner:
                say(id, "nested", token=inner.token)
        except Exception as error:
            say(id, "nested", **facts(error))


def facts(error):
    name = type(error).__name__
    because = type(error.__cause__).__name__ if error.__cause__ else None
    if isinstance(error, LockLost):
        loss = {"at": error.at, "by": error.by, "reason": error.reason}
        loss = {key: value for key, value in loss.items() if value is not None}
        return {
            "error": name,
            "token": error.token,
            "cause": error.cause,
            "because": because,
            **loss,
        }
    if isinstance(error, LockTimeout):
        return {
            "error": name,
            "message": str(error),
            "holders": error.holders,
            "queueLength": error.queue_length,
            "frozen": error.frozen,
        }
    if isinstance(error, LockUpgradeRefused):
        return {"error": name, "lock": error.lock, "token": error.token}
    if isinstance(error, LockyardError):
        return {
            "error": name,
            "message": error.message,
            "reason": error.reason,
            "isUnreachable": error.is_unreachable,
            "retryAfterMs": error.retry_after_ms,
            "capacity": error.capacity,
            "detail": error.detail,
            "requestId": error.request_id,
        }
    if isinstance(error, ReleaseUnconfirmed):
        return {"error": name, "result": error.result, "because": because}
    return {"error": "Abandoned" if isinstance(error, WaitAbandoned) else name}


def count(command):
    client = client_of({})

    def worker():
        for _ in range(command["rounds"]):
            with client.lock(command["name"]):
                with open(command["file"]) as file:
                    seen = int(file.read())
                time.sleep(0.001)
                with open(command["file"], "w") as file:
                    file.write(str(seen + 1))

    workers = [threading.Thread(target=worker) for _ in range(command["workers"])]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    return {}


def call(command):
    client = client_of(command["client"])
    return {"answer": getattr(client, snake(command["procedure"]))(command["input"])}


def run(event, act, command):
    try:
        end = act(command)
    except BaseException as error:
        end = facts(error)
    say(command["id"], event, **end)


def main():
    in_task = "--asyncio" in sys.argv
    run_lock = (lambda command: asyncio.run(lock_in_task(command))) if in_task else lock
    acts = {"lock": ("ended", run_lock), "count": ("ended", count), "call": ("answer", call)}
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "lock":
            WORK[command["id"]] = (queue.Queue(), threading.Event())
        if command["do"] in acts:
            threading.Thread(target=run, args=(*acts[command["do"]], command), daemon=True).start()
        elif command["do"] == "giveUp":
            WORK[command["id"]][1].set()
        else:
            WORK[command["id"]][0].put(command)


main()
