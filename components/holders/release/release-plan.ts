import type { Refusing } from '@/server/contract/console/backend-health';
import type { ForceReleaseAnswer } from '@/server/contract/console/operator-answers';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { boundText } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { unknownLabel } from '../../locks/lock-labels';

/**
 * What happens to a lock if this hold is released, as far as is known.
 *
 * @param refusing how its store refuses to serve; null: it serves, or does not respond
 */
export function afterRelease(lock: HeldLock, refusing: Refusing | null = null): string {
  const { next, sharedWith, isFrozen, delayMs } = lock;
  const unknown = unknownLabel(lock, refusing);
  if (unknown) return unknown;
  if (isFrozen) return 'free, but frozen: no grants';
  if (sharedWith > 0 && !next) return `still held by ${plural(sharedWith, 'other')}`;
  if (delayMs > 0) return `no grants for ${boundText(delayMs)} (lock delay)`;
  if (!next) return 'becomes free';
  return `${next.setSize === undefined ? 'granted' : 'offered'} to ${visibleText(next.owner)}`;
}

/** How the release of one lock went. */
export type ReleaseResult =
  | { kind: 'answered'; answer: ForceReleaseAnswer }
  | { kind: 'failed'; message: string };

/** A release's result in a few words. */
export function resultText(result: ReleaseResult): string {
  if (result.kind === 'failed') return `not confirmed: ${result.message}`;
  const { answer } = result;
  if (answer.outcome === 'changed') return 'holder had changed, not released';
  const { next } = answer;
  if (next.kind === 'nobody') return 'released';
  return `released, ${next.kind} to ${visibleText(next.owner)}`;
}

export const isReleasedBy = (result: ReleaseResult) =>
  result.kind === 'answered' && result.answer.outcome === 'forced';

/** How many go to a waiter, become free or have a lock delay; empty if that is known of none. */
export function planText(locks: readonly HeldLock[]): string {
  const granted = locks.filter((lock) => /^(granted|offered)/.test(afterRelease(lock))).length;
  const freed = locks.filter((lock) => afterRelease(lock) === 'becomes free').length;
  const delayed = locks.filter((lock) => afterRelease(lock).startsWith('no grants')).length;
  if (locks.length === 1 && granted === 1) return 'The lock goes to a waiter.';
  if (locks.length === 1 && freed === 1) return 'The lock becomes free.';
  if (locks.length === 1 && delayed === 1)
    return 'The lock is not granted until its lock delay ends.';
  const parts = [
    granted > 0 && (granted === 1 ? '1 goes to a waiter' : `${exactCount(granted)} go to waiters`),
    freed > 0 && (freed === 1 ? '1 becomes free' : `${exactCount(freed)} become free`),
    delayed > 0 &&
      (delayed === 1
        ? '1 is not granted until its lock delay ends'
        : `${exactCount(delayed)} are not granted until their lock delay ends`),
  ];
  const text = parts.filter(Boolean).join(', ');
  return text && `${text}.`;
}
