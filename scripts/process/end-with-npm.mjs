const CHECK_EVERY_MS = 250;

/**
 * Sends a process started by npm a SIGTERM once the shell in between is gone. When npm is asked to
 * end, it ends that shell, and some shells, such as Debian's, die without passing the signal on:
 * the server would keep running unseen, with its port and its file. Does nothing in a process that
 * npm did not start.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_EVERY_MS);
  timer.unref();
}
