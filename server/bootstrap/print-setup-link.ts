import { createSetupToken } from '../auth/setup-link';
import type { ControlRuntime } from '../operations/operation-context';

const RETRY_MS = 1_000;

/**
 * Prints the link for making the first admin, if there is no user yet. By then the server serves: a
 * control database that does not answer just then is asked again until it does, or until the answer
 * of this is called.
 */
export function printSetupLink(
  { database, clock, log }: Pick<ControlRuntime, 'database' | 'clock' | 'log'>,
  url: string,
  say: (line: string) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let hasFailed = false;
  const tryIt = async () => {
    try {
      const token = await createSetupToken(database, clock);
      if (token) say(`Make the first admin (works once, for an hour): ${url}/setup?token=${token}`);
    } catch (err) {
      if (!hasFailed) log.warn({ err }, 'The setup link has to wait for the control database');
      hasFailed = true;
      if (!isOver) timer = setTimeout(tryIt, RETRY_MS);
    }
  };
  void tryIt();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
