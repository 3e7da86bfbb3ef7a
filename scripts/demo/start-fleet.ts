import { spawn } from 'node:child_process';

/** What the fleet needs to know. */
export interface FleetSetup {
  /** The server's address, such as `http://127.0.0.1:3000`. */
  url: string;
  /** The API key of every service of the plan, by its name. */
  keys: Record<string, string>;
  /** The built fleet. */
  entry: string;
}

const STOP_WITHIN_MS = 2_000;

/**
 * Starts the demo fleet as a separate process. It ends with `stop`, and automatically when this
 * process ends for any reason; its leases then expire. The keys are only in its environment.
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
