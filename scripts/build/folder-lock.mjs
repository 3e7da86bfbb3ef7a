import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const heartbeatMs = 1_000;
const silentForMs = 10_000;

/**
 * Runs `job` while no other process holds the lock at `path`, on any machine that shares the
 * folder. `waiting` is called once if another process holds it. A dead holder is noticed
 * immediately on its own machine, and on others after ten seconds without a heartbeat.
 */
export async function withFolderLock(path, waiting, job) {
  mkdirSync(dirname(path), { recursive: true });
  for (let asked = false; !take(path); asked = true) {
    if (!asked) waiting();
    await pause(200);
    if (isAbandoned(path)) moveAway(path);
  }
  const heartbeat = setInterval(() => utimesSync(path, new Date(), new Date()), heartbeatMs);
  const tidy = () => rmSync(path, { force: true });
  process.once('exit', tidy);
  try {
    return await job();
  } finally {
    clearInterval(heartbeat);
    process.off('exit', tidy);
    tidy();
  }
}

function take(path) {
  try {
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAbandoned(path) {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    if (age > silentForMs) return true;
    const holder = JSON.parse(readFileSync(path, 'utf8'));
    return holder.host === hostname() && !isAlive(holder.pid);
  } catch {
    return false; // Gone meanwhile, or not yet written.
  }
}

/** A holder with our own process id ran before a restart of this container. */
function isAlive(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Renames the lock first, so that only one process removes it, even if several notice together. */
function moveAway(path) {
  const away = `${path}.${process.pid}`;
  try {
    renameSync(path, away);
    rmSync(away, { force: true });
  } catch {
    // Another process was faster.
  }
}
