import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { sinceEra } from '../../core/fencing-token';
import { type LockRecord, unwrittenRecord } from '../../core/lock/lock-record';
import { DAY_MS, MINUTE_MS } from '../../core/time-units';
import { takeLock } from '../../engine/testing/engine-rig';
import { PASS } from '../../engine/testing/faulty-store';
import { ensureDefaultNamespace } from '../../operations/namespaces/create-namespace';
import { systemClock } from '../../platform/clock';
import { encodeRecord } from '../../storage/codec/record-codec';
import { created, freshKey, readOne } from '../../storage/conformance/testing/changes';
import { sampledStores } from '../../storage/conformance/testing/stores-under-test';
import type { ObsoleteRecord, RecordKey } from '../../storage/record-store';
import { MonitoringRig } from '../testing/monitoring-rig';
import { setLegacyNameLimits } from './namespace-capacity';

/** The token of the counter at an instant, in epoch 1. */
const tokenAt = (at: number) => 2 ** 41 + sinceEra(at);

describe.each(sampledStores)('free locks over %s', (name) => {
  let rig: MonitoringRig;
  let now: number;

  beforeEach(async () => {
    rig = await MonitoringRig.open(name);
    now = (await readOne(rig.engines.under.store, freshKey())).now;
  });
  afterEach(() => rig.close());

  /** A lock that was released a while ago, with the given differences. */
  async function released(
    idleMs: number,
    parts: Partial<LockRecord> = {},
    namespace = 'default',
  ): Promise<RecordKey> {
    const key = freshKey(namespace);
    const at = now - idleMs;
    const token = tokenAt(at);
    const facts = { token, service: 'orders', owner: 'w1', grantedAt: at, at };
    const ended = { ...facts, cause: 'released' } as const;
    const record = { ...unwrittenRecord(at), lastToken: token, ended, ...parts };
    const { head, queue } = encodeRecord(record, null);
    await created(rig.engines.under.store, key, { rev: record.rev, head, queue: queue ?? '' });
    return key;
  }
  const isThere = async (key: RecordKey) =>
    (await readOne(rig.engines.under.store, key)).record !== null;
  const until = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 15_000, interval: 50 });

  it('are deleted after 5 idle minutes in a namespace over half full, oldest first', async () => {
    const keys: RecordKey[] = [];
    for (let i = 0; i < 8; i += 1) keys.push(await released((30 - i) * MINUTE_MS));
    const used = await released(4 * MINUTE_MS, { rev: sinceEra(now - 60 * MINUTE_MS) });
    const watcher = await rig.watch({ policy: { ...DEFAULT_POLICY, maxLocks: 12 } });
    await until(async () => {
      const there = await Promise.all(keys.map(isThere));
      expect(there).toEqual([false, false, false, true, true, true, true, true]);
    });
    expect(await isThere(used)).toBe(true);
    const [gone] = keys as [RecordKey];
    await until(async () => {
      expect(watcher.monitoring.projection.row(gone.namespace, gone.name)).toBe(null);
    });
    const { token } = await takeLock(watcher, gone, 'w2');
    expect(token).toBeGreaterThan(tokenAt(now));
  });

  it('are kept in a full namespace while frozen, delayed, lost or remembered', async () => {
    const long = 20 * DAY_MS;
    const remark = { by: 'ada', reason: 'a repair', at: now };
    const at = now - 50 * MINUTE_MS;
    const facts = { token: tokenAt(at), service: 'orders', owner: 'w1', grantedAt: at - 9, at };
    const keys = [
      await released(long, { frozen: remark }),
      await released(long, { delayedUntil: now + 5 * MINUTE_MS }),
      await released(long, { ended: { ...facts, cause: 'expired' } }),
      await released(long, { answersUntil: now + 5 * MINUTE_MS }),
      await released(10 * MINUTE_MS, { answersUntil: null }),
      await released(long, { lastToken: tokenAt(now) }),
      await released(long, { rev: sinceEra(now - 9 * MINUTE_MS) }),
    ];
    const goes = await released(long);
    await rig.watch({ policy: { ...DEFAULT_POLICY, maxLocks: 1 } });
    await until(async () => expect(await isThere(goes)).toBe(false));
    for (const key of keys) expect(await isThere(key)).toBe(true);
  });

  it('are deleted after 30 days elsewhere, unless tokens run ahead of the clock', async () => {
    const goes = await released(31 * DAY_MS);
    const hot = await released(31 * DAY_MS, { lastToken: tokenAt(now + DAY_MS) });
    const young = await released(29 * DAY_MS);
    await rig.watch();
    await until(async () => expect(await isThere(goes)).toBe(false));
    expect(await isThere(hot)).toBe(true);
    expect(await isThere(young)).toBe(true);
  });

  it('are deleted in one namespace even if those of another cannot be', async () => {
    const kept = await released(30 * MINUTE_MS, {}, 'a-first');
    const goes = await released(30 * MINUTE_MS, {}, 'b-second');
    const watcher = await rig.watch({ policy: { ...DEFAULT_POLICY, maxLocks: 1 } });
    watcher.faults.onDelete = ([record]) =>
      record?.key.namespace === kept.namespace ? { kind: 'refuse' } : PASS;
    await until(async () => expect(await isThere(goes)).toBe(false));
    expect(await isThere(kept)).toBe(true);
  });

  it('are gone at once from the lists of the process that deletes them after 30 days', async () => {
    const first = await rig.watch();
    await until(async () => expect(first.intents.asked).toBeGreaterThan(0));
    // Its scan may still run, and would delete them before the second lists them.
    first.faults.onDelete = () => ({ kind: 'refuse' });
    const keys = [await released(31 * DAY_MS), await released(31 * DAY_MS)];
    const second = await rig.watch();
    const shown = () =>
      keys.map((key) => second.monitoring.projection.row(key.namespace, key.name));
    await until(async () => expect(shown()).not.toContain(null));
    const scans: (() => void)[] = [];
    const held = () => new Promise<void>((resolve) => scans.push(resolve));
    // So that no scan shows afterwards that they are gone.
    const last = async () => {
      second.faults.onScan = () => ({ kind: 'pass', first: held });
    };
    const isOne = ({ key }: ObsoleteRecord) => keys.some(({ name }) => name === key.name);
    second.faults.onDelete = (records) => (records.some(isOne) ? { kind: 'pass', last } : PASS);
    await first.monitoring.close();
    await until(async () => expect(await Promise.all(keys.map(isThere))).toEqual([false, false]));
    try {
      await until(async () => expect(shown()).toEqual([null, null]));
    } finally {
      second.faults.onScan = () => PASS;
      for (const scan of scans) scan();
    }
  });
});

describe.each(TEST_DIALECTS)('an upgrade over %s', (dialect) => {
  it('gives a namespace with more names than the default twice its number, once', async () => {
    const database = await openTestDatabase(dialect);
    const { namespaces } = database.tables;
    await ensureDefaultNamespace(database, systemClock);
    const old = (id: string, backend: string) => ({ id, backend, createdAt: 0 });
    await database.db
      .insert(namespaces)
      .values([old('grown', 'default'), old('small', 'default'), old('away', 'elsewhere')]);
    const totals: Record<string, number> = { grown: 120_000, small: 100_000, away: 300_000 };
    const names = { total: (namespace: string) => totals[namespace] ?? 0 };
    const count = (...read: string[]) =>
      setLegacyNameLimits(database, names, (backend) => read.includes(backend));
    const decided = async () => {
      const rows = await database.db.select().from(namespaces);
      return Object.fromEntries(rows.map(({ id, grownMaxLocks }) => [id, grownMaxLocks]));
    };
    await count('default');
    expect(await decided()).toEqual({ default: 0, grown: 240_000, small: 0, away: null });
    totals.grown = 200_000;
    totals.small = 200_000;
    await count('default', 'elsewhere');
    expect(await decided()).toEqual({ default: 0, grown: 240_000, small: 0, away: 600_000 });
    await database.close();
  });
});
