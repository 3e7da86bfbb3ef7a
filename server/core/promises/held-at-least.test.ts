import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Answered, Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { HoldLedger } from '../testing/hold-ledger';
import type { Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

/** Judges by what was written and when, on the store's clock. */
class LeastTimeReferee implements Referee {
  private readonly ledger = new HoldLedger();
  kept = 0;

  onWritten(written: Written): void {
    this.ledger.onWritten(written);
    const { after, writtenAt, command, decision } = written;
    for (const { keptUntil, releasedAt, expiresAt } of after.holds) {
      if (keptUntil === undefined) continue;
      expect(expiresAt, 'its lease ends before').toBeGreaterThanOrEqual(keptUntil);
      if (releasedAt !== undefined) expect(expiresAt, 'it ends at another time').toBe(keptUntil);
    }
    for (const { kind, token = 0, at } of decision.events) {
      if (kind === 'kept') this.kept += 1;
      const { hold, ending } = this.ledger.entries.get(token) ?? {};
      if (!hold || ending?.writtenAt !== writtenAt || hold.keptUntil === undefined) continue;
      if (kind === 'expired') expect(hold.releasedAt, 'it expired').toBe(undefined);
      if (kind !== 'released') continue;
      const isUndone = command.verb === 'cancel' && hold.releasedAt === undefined;
      if (!isUndone) expect(writtenAt, 'it ended early').toBeGreaterThanOrEqual(hold.keptUntil);
      if (hold.releasedAt !== undefined) expect(at).toBe(hold.keptUntil);
    }
  }

  onAnswered({ proposal: { command, decision, context }, at }: Answered): void {
    if (command.verb !== 'renew' && command.verb !== 'release') return;
    const { outcome } = decision.answer as { outcome: string };
    const { hold } = this.ledger.entries.get(command.token) ?? {};
    const isKept =
      hold?.releasedAt !== undefined &&
      hold.owner === command.owner &&
      this.ledger.isLive(command.token, Math.max(at, context.now));
    // A repeated release may still get the answer that it got before, such as `decremented`.
    if (isKept) expect(outcome, 'its holder was answered lost').not.toBe('lost');
    if (isKept) expect(outcome).not.toBe('renewed');
  }
}

it(
  'a lock that is held at least for a while ends early only by force or by undoing',
  () => {
    let kept = 0;
    fc.assert(
      fc.property(steps, (played) => {
        const referee = new LeastTimeReferee();
        new Campaign([referee]).play(played);
        kept += referee.kept;
      }),
      RUNS,
    );
    expect(kept).toBeGreaterThan(0);
  },
  PROPERTY_MS,
);
