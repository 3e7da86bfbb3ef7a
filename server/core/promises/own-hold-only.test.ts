import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LockyardError } from '../../contract/errors';
import type { LockCommand } from '../lock/lock-command';
import type { Hold } from '../lock/lock-record';
import { type Answered, Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { HoldLedger, holdsMoved } from '../testing/hold-ledger';
import type { Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

class OwnershipReferee implements Referee {
  private readonly ledger = new HoldLedger();

  onWritten(written: Written): void {
    const { before, after, command, writtenAt } = written;
    const { ended, changed } = holdsMoved(before, after);
    for (const { was, hold } of changed) {
      expect(mayChange(was, command), `${command.verb} changed a hold`).toBe(true);
      expect(hold).toMatchObject({ token: was.token, service: was.service, owner: was.owner });
      const isStepBack = hold.count < was.count;
      if (!isStepBack) expect(writtenAt, 'a lapsed lease was revived').toBeLessThan(was.expiresAt);
      expect(was.releasedAt, 'a released hold was changed').toBe(undefined);
      if (hold.releasedAt !== undefined) continue;
      expect(hold.expiresAt, 'a lease was shortened').toBeGreaterThanOrEqual(was.expiresAt);
    }
    this.ledger.onWritten(written);
    for (const hold of ended) {
      const { cause, at } = this.ledger.entry(hold.token).ending ?? {};
      const isKeptNoLonger = hold.releasedAt !== undefined && at === hold.keptUntil;
      if (cause !== 'expired' && !isKeptNoLonger)
        expect(mayEnd(hold, command), `${command.verb} ended`).toBe(true);
    }
  }

  /** A rightful claim is never refused. */
  onAnswered({ proposal: { command, decision, context }, at }: Answered): void {
    if (command.verb !== 'renew' && command.verb !== 'release') return;
    if (decision.answer && (decision.answer as { outcome: string }).outcome !== 'lost') return;
    const { token, service, owner } = command;
    const hold = this.ledger.entries.get(token)?.hold;
    const isOwn = hold?.service === service && hold.owner === owner;
    const wasLive = this.ledger.isLive(token, Math.max(at, context.now));
    expect(isOwn && wasLive, `a live hold was answered as lost`).toBe(false);
  }

  onRefused(command: LockCommand, error: LockyardError): void {
    if (command.verb !== 'renew' && command.verb !== 'release') return;
    if (error.reason === 'INVALID') return;
    expect(error.reason).toBe('FORBIDDEN');
    const entry = this.ledger.entries.get(command.token);
    expect(entry?.hold.service).not.toBe(command.service);
  }
}

const isOwner = (hold: Hold, party: { service: string; owner: string }) =>
  hold.service === party.service && hold.owner === party.owner;

const isOfRequest = (hold: Hold, { request }: { request: { key: string } }) =>
  hold.requests.includes(request.key);

function mayChange(hold: Hold, command: LockCommand): boolean {
  switch (command.verb) {
    case 'renew':
    case 'release':
      return isOwner(hold, command) && hold.token === command.token;
    case 'acquire':
      return (
        isOwner(hold, command) &&
        (command.reentrant || (hold.isUnclaimed === true && isOfRequest(hold, command)))
      );
    case 'cancel':
      return isOwner(hold, command) && isOfRequest(hold, command);
    case 'extend':
    case 'askRelease':
    case 'stopRenewals':
    case 'revertGrant':
      return hold.token === command.token;
    default:
      return false;
  }
}

function mayEnd(hold: Hold, command: LockCommand): boolean {
  if (command.verb === 'forceRelease' || command.verb === 'reassign') {
    return hold.token === command.token;
  }
  const ends: LockCommand['verb'][] = ['release', 'cancel', 'revertGrant'];
  return ends.includes(command.verb) && mayChange(hold, command);
}

it(
  'promise 4: only the current hold is renewed, released or re-entered; none revives once expired',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new OwnershipReferee()]).play(played);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);
