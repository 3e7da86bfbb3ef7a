import type { Lost, Renewed } from '../../contract/lock/answers';
import type { PendingCommand } from '../pending-command';
import { unknownOutcome } from '../refusals';
import type { StoreClock } from '../store-clock';

/**
 * Whether this answers a renewal of which nothing is surely left: its commit took longer than the
 * lease lasts. It is decided again, which prolongs the hold or finds it over.
 */
export function isSpentRenewal(answer: unknown): answer is Renewed {
  const { outcome, expiresInMs } = answer as Partial<Renewed>;
  return outcome === 'renewed' && (expiresInMs ?? 0) <= 0;
}

/** Answers such a renewal where there is no time to decide it again: it is lost if that is sure. */
export function endSpentRenewal(
  pending: PendingCommand,
  { expiresAt }: Renewed,
  clock: StoreClock,
) {
  const lost: Lost = { outcome: 'lost', cause: 'expired', at: expiresAt };
  if ((clock.atLeast() ?? 0) >= expiresAt) pending.answer(lost, true);
  else pending.refuse(unknownOutcome(null));
}
