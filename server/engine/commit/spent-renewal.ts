import type { Renewed } from '../../contract/lock/answers';
import { answerToEarlierRenewal } from '../../core/lock/lock-answers';
import type { RenewCommand } from '../../core/lock/lock-command';
import type { LockRecord } from '../../core/lock/lock-record';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';
import type { PendingCommand } from '../pending-command';
import { recordTypeOf } from '../record-type';
import { unknownOutcome } from '../refusals';
import { subtractElapsed } from '../waiting/subtract-elapsed';

/**
 * Whether this answers a renewal whose new lease may already have expired, because its commit took
 * longer than the lease. The renewal is decided again, which extends the hold or finds it expired.
 */
export function isSpentRenewal(answer: unknown): answer is Renewed {
  const { outcome, expiresInMs } = answer as Partial<Renewed>;
  return outcome === 'renewed' && (expiresInMs ?? 0) <= 0;
}

/**
 * Answers such a renewal when there is no time to decide it again, from the record as stored now,
 * since another renewal may have extended the hold in the same commit or a later one. If the hold
 * has expired, its end is written before the answer, so that it stays ended even if the backend's
 * clock is set back; if it cannot be written, the answer is `UNKNOWN`.
 */
export async function answerSpentRenewal(
  context: EngineContext,
  commands: CommandQueue,
  pending: PendingCommand,
): Promise<void> {
  const { key, command } = pending;
  try {
    await commands.expireInTime(key);
    const startedAt = context.monotonic();
    const { records } = await context.store.read([key], []);
    const [read] = records;
    if (!read) throw new Error('A store must return every record that it is asked for.');
    const stored = read.record && (recordTypeOf(key).decode(read.record).record as LockRecord);
    const found = answerToEarlierRenewal(stored, command as RenewCommand, read.now);
    const answer = found && subtractElapsed(found, context.elapsedSinceRead(startedAt, read.now));
    if (!answer || isSpentRenewal(answer)) {
      throw new Error('The lease expired while its record was read.');
    }
    pending.answer(answer, true);
  } catch (cause) {
    pending.refuse(unknownOutcome(cause));
  }
}
