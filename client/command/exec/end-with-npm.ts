const LOOK_EVERY_MS = 250;

/** A script of npm that itself runs what goes on until it is ended. */
const RUNS_ON = /\blockyard["']? +["']?(exec|watch|witness)\b/;

/**
 * Sends this process a SIGTERM once the shell between npm and it is gone. When `npx` or `npm run`
 * is asked to end, it ends that shell, and some shells, such as Debian's, die without passing the
 * signal on: the command would keep running unseen, and its lock be renewed. Does nothing in a
 * process that npm did not start; what npm started may leave others in the background on purpose.
 */
export function endWithNpm({
  npm_lifecycle_event: event,
  npm_lifecycle_script: script = '',
}: NodeJS.ProcessEnv): void {
  if (event !== 'npx' && !RUNS_ON.test(script)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  timer.unref();
}
