import { LockyardError } from '../../../contract/errors';
import { isPassing } from '../../../engine/testing/insist';

/** The answer to one command, and how long it took. */
export interface RecordedAnswer {
  /** The outcome, the reason of a refusal, or the message of an unexpected error. */
  outcome: string;
  isTyped: boolean;
  /** On the monotonic clock of this process. */
  startedAt: number;
  tookMs: number;
  token: number | null;
}

/** Waits for an answer, whatever it is. */
export async function recordAnswer(
  work: Promise<{ outcome: string; token?: number }>,
): Promise<RecordedAnswer> {
  const startedAt = performance.now();
  const done = (outcome: string, isTyped: boolean, token: number | null = null) => ({
    outcome,
    isTyped,
    startedAt,
    tookMs: performance.now() - startedAt,
    token,
  });
  try {
    const { outcome, token } = await work;
    return done(outcome, true, token);
  } catch (error) {
    if (!(error instanceof LockyardError)) return done(String(error), false);
    return done(error.reason, isPassing(error));
  }
}
