const LOOK_EVERY_MS = 250;

/**
 * A process that npm has started gets a SIGTERM of its own once the shell in between is gone. npm ends that shell when it
 * is told to end itself, and some shells, such as Debian's, die of it without a word to what they run: a server would stay
 * behind, unseen, with its port and its file. Does nothing in a process that somebody else has started.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  timer.unref();
}
