import { spawn } from 'node:child_process';

/** What the fleet needs to know. */
export interface FleetSetup {
  /** Where the server answers, such as `http://127.0.0.1:3000`. */
  url: string;
  /** The API key of every service of the plan, by its name. */
  keys: Record<string, string>;
  /** The built fleet. */
  entry: string;
}

const STOP_WITHIN_MS = 2_000;

/**
 * Starts the demo fleet as a process of its own. It ends with `stop`, and by itself when this
 * process ends for any reason; its leases stay and expire. The keys are in its environment only.
 */
export function startFleet({ url, keys, entry }: FleetSetup): { stop(): Promise<void> } {
  const child = spawn(process.execPath, [entry], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { NODE_ENV: 'production', LOCKYARD_URL: url, LOCKYARD_DEMO_KEYS: JSON.stringify(keys) },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
