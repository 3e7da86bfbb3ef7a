import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LockListInput, lockListInput } from '../../contract/console/console-inputs';
import { totalBlockingMs } from '../../core/status/blocking-time';
import { ProjectionRow } from '../projection/projection-row';
import { type LockSpec, TableRig } from '../testing/table-rig';
import { AnswerTurns } from '../watch/answer-turns';
import { LockListPages } from './lock-list-pages';
import { TimeSlice } from './order/time-slice';

const INPUTS = [
  {},
  { descending: true },
  { sort: 'name' },
  { sort: 'name', descending: true, namespace: 'default' },
  { sort: 'held' },
  { sort: 'lease', descending: true },
  { sort: 'waiters', status: 'contended' },
  { status: 'held' },
  { status: 'expired', sort: 'held' },
  { namespace: 'away', sort: 'lease' },
  { backend: 'other', sort: 'name' },
  { backend: 'none' },
  { search: 'JOB-1' },
  { search: 'w2', sort: 'waiters', descending: true },
].map((input) => lockListInput.parse({ ...input, limit: 1_000 }));

const RANK_EVERY_MS = 10_000;

const name = fc.nat(30).map((i) => `job-${i}`);
const namespace = fc.constantFrom('default', 'away');
const parts: fc.Arbitrary<LockSpec> = fc.record({
  namespace,
  owner: fc.constantFrom('w1', 'W2', 'billing-3'),
  heldMs: fc.option(fc.constantFrom(0, 10, 4_000, 70_000)),
  leaseLeftMs: fc.constantFrom(-1_000, 50, 9_000, 60_000),
  waiters: fc.constantFrom(0, 0, 0, 1, 3),
  waitedMs: fc.constantFrom(5, 700_000),
  isFrozen: fc.constantFrom(false, false, false, true),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('keep' as const), name, parts }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('forget' as const), name, namespace }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('refuse' as const), name, namespace }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.nat(12_000) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('silence' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('policy' as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('look' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function play(rig: TableRig, one: Step): void {
  if (one.does === 'keep') rig.store(one.name, one.parts);
  else if (one.does === 'forget') rig.remove(one.name, one.namespace);
  else if (one.does === 'refuse') rig.refuse(one.name, one.namespace);
  else if (one.does === 'wait') rig.now += one.ms;
  else if (one.does === 'policy') rig.stuckAfterMs = rig.stuckAfterMs === 0 ? 3_000 : 0;
  else if (one.does === 'silence' && !rig.silent.delete('other')) rig.silent.add('other');
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
/** Without the trends of queues: no single instant shows them. */
async function pageOf(rig: TableRig, input: LockListInput) {
  const { rows, ...page } = await rig.lists.page(input, false);
  return { ...page, rows: rows.map(({ queueTrend: _, ...row }) => row) };
}

/** The total blocking time of all locks, as their groups sum it up. */
function blockingOf({ table, now }: TableRig): number {
  const sums = table.groups.list().map(({ blocked }) => blocked);
  const origin = table.columns.blockedOrigin;
  return sums.reduce((sum, blocked) => sum + totalBlockingMs(blocked, now - origin), 0);
}

function expectedBlocking(rig: TableRig): number {
  const rows = rig.expected(lockListInput.parse({}));
  return rows.reduce((sum, { blocked }) => {
    return sum + (blocked ? totalBlockingMs(blocked, rig.now) : 0);
  }, 0);
}

describe('a view that is kept up to date', () => {
  it('shows the same rows as a new view, and the same order whenever it is ranked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const rig = new TableRig();
        for (const one of steps) {
          play(rig, one);
          if (one.does !== 'look') continue;
          for (const input of INPUTS) {
            const { rows, matching, counts, total } = await pageOf(rig, input);
            const expected = rig.expected(input);
            expect([...rows].sort(byId)).toEqual([...expected].sort(byId));
            expect({ matching, total }).toEqual({
              matching: expected.length,
              total: rig.truth.size,
            });
            const held = rig.expected(lockListInput.parse({ status: 'held' })).length;
            expect(counts.held).toBe(held);
          }
          expect(blockingOf(rig)).toBe(expectedBlocking(rig));
        }
        rig.now += RANK_EVERY_MS;
        for (const input of INPUTS) {
          const { rows } = await pageOf(rig, input);
          expect(rows).toEqual(rig.expected(input));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('includes a lock that replaced another one during the update', async () => {
    const rig = new TableRig();
    for (let i = 0; i < 100; i += 1) rig.store(`job-${100 + i}`);
    rig.isBusy = true;
    const settled = rig.table.refresh();
    rig.remove('job-199');
    rig.store('late');
    await settled;
    rig.isBusy = false;
    for (const order of [rig.table.names, rig.table.listing]) {
      const listed = [...order.from(() => false)].map(({ key }) => key.name);
      expect(listed).toContain('late');
      expect(listed).toHaveLength(100);
    }
  });

  it('lists once a lock that replaced one made and deleted before the first update', async () => {
    const rig = new TableRig();
    rig.store('brief');
    rig.remove('brief');
    rig.store('lasting');
    const { rows } = await pageOf(rig, lockListInput.parse({}));
    expect(rows.map((row) => row.name)).toEqual(['lasting']);
  });

  it('keeps every row in place between rankings, except one that now needs attention', async () => {
    const rig = new TableRig();
    for (let i = 0; i < 20; i += 1) rig.store(`job-${10 + i}`, { heldMs: 1_000 * i });
    const names = async (input: object = {}) =>
      (await pageOf(rig, lockListInput.parse(input))).rows.map((row) => row.name);
    const before = await names();
    const { ranking } = await pageOf(rig, lockListInput.parse({}));
    rig.now += 1_000;
    rig.store('job-11', { waiters: 3 });
    rig.store('job-12', { heldMs: null });
    expect(await names()).toEqual(before);
    // Expired: it moves up immediately. A new one is inserted where it belongs, a deleted one is
    // removed.
    rig.store('job-15', { leaseLeftMs: -10 });
    rig.store('new', { waiters: 1 });
    rig.remove('job-20');
    const after = await names();
    expect(after[0]).toBe('job-15');
    expect(after[1]).toBe('new');
    const rest = (all: string[]) =>
      all.filter((each) => !['job-15', 'new', 'job-20'].includes(each));
    expect(rest(after)).toEqual(rest(before));
    expect(await pageOf(rig, lockListInput.parse({}))).toMatchObject({ ranking });
    rig.now += RANK_EVERY_MS;
    expect((await names()).slice(0, 3)).toEqual(['job-15', 'job-11', 'new']);
    expect(await pageOf(rig, lockListInput.parse({}))).not.toMatchObject({ ranking });
  });

  it('treats a lock that moved to another shard as removed and added', () => {
    const noted: [from: string | null, to: string | null][] = [];
    const replaced = (before: ProjectionRow | null, after: ProjectionRow | null) => {
      noted.push([before?.backend ?? null, after?.backend ?? null]);
    };
    const rig = new TableRig({ replaced, turned: () => undefined });
    rig.store('job');
    const { key, readAt, record } = rig.table.byId('default/default/job') ?? expect.fail();
    rig.table.store(ProjectionRow.of({ id: 's2', publicId: 'default' }, key, readAt, record));
    expect(noted).toEqual([
      [null, 'default'],
      ['default', null],
      [null, 's2'],
    ]);
  });

  it('sorts a stuck lock with several holders by the hold that it is shown with', async () => {
    const rig = new TableRig();
    rig.stuckAfterMs = 60_000;
    rig.store('stuck', { heldMs: 50_000, sharedMs: 1_000, waiters: 1 });
    rig.store('job', { heldMs: 30_000, leaseLeftMs: 90_000 });
    const names = async (sort: 'held' | 'lease') =>
      (await pageOf(rig, lockListInput.parse({ sort }))).rows.map((row) => row.name);
    expect(await names('held')).toEqual(['job', 'stuck']);
    expect(await names('lease')).toEqual(['job', 'stuck']);
    rig.now += RANK_EVERY_MS + 1;
    expect(await names('held')).toEqual(['stuck', 'job']);
    expect(await names('lease')).toEqual(['stuck', 'job']);
  });

  it('is read window by window, each row once, and is empty past its end', async () => {
    const rig = new TableRig();
    for (let i = 0; i < 1_234; i += 1) rig.store(`job-${i}`, { heldMs: i % 100 });
    const seen: string[] = [];
    for (let offset = 0; offset < 1_300; offset += 100) {
      const input = lockListInput.parse({ sort: 'held', offset, limit: 100 });
      const page = await pageOf(rig, input);
      expect(page).toMatchObject({ offset, matching: 1_234 });
      seen.push(...page.rows.map(({ id }) => id));
    }
    expect(seen).toHaveLength(1_234);
    expect(new Set(seen).size).toBe(1_234);
  });
});

it('rests between pages requested together, so that calls on locks get their turn', async () => {
  const rig = new TableRig();
  rig.store('job-1');
  const work = { ms: 0, rests: 0 };
  const now = () => work.ms;
  const rest = async () => {
    work.rests += 1;
    await new Promise(setImmediate);
  };
  const healths = () => {
    work.ms += 2;
    return [];
  };
  const turns = new AnswerTurns(() => new TimeSlice(now, now, rest), now);
  const pages = new LockListPages(rig.table, { now, monotonic: now }, healths, turns);
  const together = Array.from({ length: 20 }, () => pages.page(lockListInput.parse({}), false));
  expect((await Promise.all(together)).every(({ rows }) => rows.length === 1)).toBe(true);
  expect(work.rests).toBeGreaterThanOrEqual(9);
});
