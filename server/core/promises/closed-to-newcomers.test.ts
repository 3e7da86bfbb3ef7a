import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { holdsMoved } from '../testing/hold-ledger';
import type { Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

/** Checks the writes: no grant while the lock was frozen, nor too soon after a lost hold. */
class GatekeeperReferee implements Referee {
  private readonly stopped = new Set<number>();
  private closedUntil = 0;

  onWritten(written: Written): void {
    const { before, after, context, writtenAt, decision, command } = written;
    const { changed } = holdsMoved(before, after);
    const wasReleased = (token?: number) =>
      before?.holds.some((hold) => hold.token === token && hold.releasedAt !== undefined);
    for (const { kind, at, token } of decision.events) {
      const { lockDelayMs } = context.policy;
      const isLost = (kind === 'expired' || kind === 'forced') && !wasReleased(token);
      const isDelayed = lockDelayMs > 0 && isLost;
      if (isDelayed) this.closedUntil = Math.max(this.closedUntil, at + lockDelayMs);
      if (kind !== 'granted') continue;
      expect(after.frozen, 'granted while frozen').toBe(null);
      expect(writtenAt, 'granted in the lock-delay').toBeGreaterThanOrEqual(this.closedUntil);
    }
    if (before?.frozen && decision.events.some(({ kind }) => kind === 'dropped')) {
      expect(before.offers, 'a place was lost to a freeze').toEqual([]);
    }
    for (const { was, hold } of changed) {
      const isProlonged = hold.expiresAt > was.expiresAt;
      if (isProlonged && this.stopped.has(hold.token)) expect(command.verb).toBe('extend');
    }
    for (const { kind, token = 0 } of decision.events) {
      if (kind === 'stopped') this.stopped.add(token);
    }
  }
}

it(
  'no frozen or delayed lock is granted; only operators prolong a hold with blocked renewals',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new GatekeeperReferee()]).play(played);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);
