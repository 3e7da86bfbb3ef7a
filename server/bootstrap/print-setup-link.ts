import { createSetupToken } from '../auth/setup-link';
import type { ControlRuntime } from '../operations/operation-context';
import { Periodic } from '../platform/periodic';

const RETRY_MS = 1_000;

/**
 * Prints the link for creating the first admin, if there is no user yet. Retries while the control
 * database does not respond, since the server is already serving. The returned function stops that.
 */
export function printSetupLink(
  { database, clock, log }: Pick<ControlRuntime, 'database' | 'clock' | 'log'>,
  url: string,
  say: (line: string) => void,
): () => void {
  const printing = new Periodic({
    job: 'create the setup link',
    everyMs: RETRY_MS,
    log,
    async run() {
      const token = await createSetupToken(database, clock);
      void printing.stop();
      if (token) say(`Create the first admin (valid once, for 1 h): ${url}/setup?token=${token}`);
    },
  });
  void printing.startNow();
  return () => void printing.stop();
}
