const CHECK_EVERY_MS = 250;

/** An npm script that itself runs a command that does not end on its own. */
const RUNS_ON = /\blockyard["']? +["']?(exec|watch|mcp|witness)\b/;

/**
 * Sends this process a SIGTERM once the shell between npm and it is gone. When `npx` or `npm run`
 * is asked to end, it ends that shell, and some shells, such as Debian's, die without passing the
 * signal on: the command would keep running unseen, and its lock be renewed. Does nothing in a
 * process that npm did not start itself: what npm started may have left it in the background on
 * purpose. So `lockyard exec` passes on an empty script.
 */
export function endWithNpm({
  npm_lifecycle_event: event,
  npm_lifecycle_script: script = '',
}: NodeJS.ProcessEnv): void {
  if (script === '' || (event !== 'npx' && !RUNS_ON.test(script))) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_EVERY_MS);
  timer.unref();
}
