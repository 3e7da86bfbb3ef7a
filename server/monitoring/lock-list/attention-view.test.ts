import { describe, expect, it } from 'vitest';
import { lockListInput } from '../../contract/console/console-inputs';
import { TableRig } from '../testing/table-rig';

const ALL = lockListInput.parse({});
const ATTENTION = lockListInput.parse({ attention: true });

async function look(rig: TableRig) {
  const { rows, attention, matching } = await rig.lists.page(ATTENTION, false);
  return { names: rows.map(({ name }) => name), attention, matching };
}

describe('the view of what needs attention', () => {
  it('lists exactly locks to act on, unknown ones and locks to watch, in that order', async () => {
    const rig = new TableRig();
    rig.store('held');
    rig.store('free', { heldMs: null });
    rig.store('contended', { waiters: 2 });
    rig.store('frozen', { isFrozen: true });
    rig.store('frozen, waited for', { isFrozen: true, waiters: 1 });
    rig.store('expired', { leaseLeftMs: -10 });
    rig.store('silent', { namespace: 'away' });
    rig.silent.add('other');
    expect(await look(rig)).toEqual({
      names: ['expired', 'silent', 'frozen, waited for'],
      attention: 3,
      matching: 3,
    });
  });

  it('shows a lock at once, and for 30 s after its recovery, without counting it', async () => {
    const rig = new TableRig();
    rig.store('job', { leaseLeftMs: 5_000 });
    expect(await look(rig)).toEqual({ names: [], attention: 0, matching: 0 });
    rig.now += 5_000;
    expect(await look(rig)).toEqual({ names: ['job'], attention: 1, matching: 1 });
    rig.now += 60_000;
    rig.store('job', { owner: 'next', leaseLeftMs: 3_600_000 });
    expect(await look(rig)).toEqual({ names: ['job'], attention: 0, matching: 1 });
    rig.now += 29_999;
    expect((await look(rig)).names).toEqual(['job']);
    rig.now += 1;
    expect(await look(rig)).toEqual({ names: [], attention: 0, matching: 0 });
  });

  it('marks each row whose lock still needs attention, in agreement with the count', async () => {
    const rig = new TableRig();
    rig.stuckAfterMs = 60_000;
    rig.store('job', { heldMs: 61_000, waiters: 2 });
    const tiers = async () => {
      const { rows, attention } = await rig.lists.page(ATTENTION, false);
      const found = rows.map(({ name, status, tier }) => [name, status, tier]);
      return { found, attention };
    };
    expect(await tiers()).toEqual({ found: [['job', 'stuck', 'actNow']], attention: 1 });
    rig.now += 10;
    rig.store('job', { owner: 'next', heldMs: 0, waiters: 1 });
    expect(await tiers()).toEqual({ found: [['job', 'contended', undefined]], attention: 0 });
  });

  it('shows no holder from the instant at which a lock is shown as expired', async () => {
    const rig = new TableRig();
    rig.store('job', { leaseLeftMs: 5_000 });
    const { rows: held } = await rig.lists.page(ALL, false);
    expect(held).toMatchObject([{ status: 'held', holders: 1 }]);
    rig.now += 5_000;
    const { rows } = await rig.lists.page(ATTENTION, false);
    expect(rows).toMatchObject([{ status: 'expired', holders: 0 }]);
  });

  it('shows no holder of a lock that was freed by the end of its minimum hold time', async () => {
    const rig = new TableRig();
    rig.store('job', { leaseLeftMs: 5_000, isKept: true });
    const { rows: kept } = await rig.lists.page(ALL, false);
    expect(kept).toMatchObject([{ status: 'held', holders: 1 }]);
    rig.now += 5_000;
    const { rows } = await rig.lists.page(ALL, false);
    expect(rows).toMatchObject([{ status: 'free', holders: 0 }]);
  });

  it('keeps a lock that needs attention again, and removes a deleted one', async () => {
    const rig = new TableRig();
    rig.store('job', { leaseLeftMs: -10 });
    rig.store('other', { leaseLeftMs: -10 });
    await look(rig);
    rig.store('job', { owner: 'next', leaseLeftMs: 1_000 });
    await look(rig);
    rig.now += 20_000;
    rig.remove('other');
    expect((await look(rig)).names).toEqual(['job']);
    rig.now += 40_000;
    expect(await look(rig)).toEqual({ names: ['job'], attention: 1, matching: 1 });
    rig.remove('job');
    rig.store('new');
    expect(await look(rig)).toEqual({ names: [], attention: 0, matching: 0 });
  });
});
