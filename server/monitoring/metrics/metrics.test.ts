import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseExposition } from '@/test/exposition';
import { release, takeLock } from '../../engine/testing/engine-rig';
import { freshKey } from '../../storage/conformance/testing/changes';
import { can, sampledStores } from '../../storage/conformance/testing/stores-under-test';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';
import { eventMetrics } from './event-metrics';
import { EventTally } from './event-tally';
import { lockMetrics } from './lock-metrics';
import { Metrics } from './metrics';
import { NamespaceLabels } from './namespace-labels';

const NO_LOCKS = {
  stuck: 0,
  orphaned: 0,
  expired: 0,
  unknown: 0,
  frozen: 0,
  expiring: 0,
} as const;
const groupIn = (namespace: string) => ({
  namespace,
  backend: 'default',
  counts: { ...NO_LOCKS, contended: 0, held: 1, delayed: 0, free: 0 },
  waiting: 2,
  held: 1,
  permitsHeld: 3,
  permitCapacity: 5,
  keptHolds: 1,
  blocked: { callers: 2, sinceSum: 3_000 },
});

type Scraped = ReturnType<typeof parseExposition>;

const sumOf = (scraped: Scraped | string, name: string) => {
  const metrics = typeof scraped === 'string' ? parseExposition(scraped) : scraped;
  return (metrics.get(name)?.series ?? []).reduce((sum, { value }) => sum + value, 0);
};

describe('metrics', () => {
  it('are computed once for simultaneous requests, and again for later ones', async () => {
    const metrics = new Metrics();
    let readings = 0;
    metrics.add(async () => {
      readings += 1;
      const samples = [{ labels: {}, value: readings }];
      return [{ name: 'lockyard_readings', help: 'Readings.', type: 'gauge', samples }];
    });
    const texts = await Promise.all([metrics.text(), metrics.text(), metrics.text()]);
    expect(texts.map((text) => sumOf(text, 'lockyard_readings'))).toEqual([1, 1, 1]);
    expect(sumOf(await metrics.text(), 'lockyard_readings')).toBe(2);
  });

  it('name 200 namespaces and add up all others, losing nothing', async () => {
    const labels = new NamespaceLabels();
    const namespaces = Array.from({ length: 250 }, (_, i) => `team-${i}`);
    const tally = new EventTally();
    const event = {
      kind: 'granted',
      at: 0,
      rev: 1,
      service: 's',
      owner: 'o',
      waitedMs: 3,
    } as const;
    for (const namespace of namespaces) tally.add(namespace, event);
    const metrics = new Metrics();
    metrics.add(() => [
      ...lockMetrics(namespaces.map(groupIn), labels, 4_000),
      ...eventMetrics([{ publicId: 'default', tally }], labels, namespaces.map(groupIn)),
    ]);
    for (let scrape = 0; scrape < 2; scrape += 1) {
      const scraped = parseExposition(await metrics.text());
      for (const [name, sum] of [
        ['lockyard_locks_held', 250],
        ['lockyard_waiters', 500],
        ['lockyard_blocking_seconds', 250 * 5],
        ['lockyard_permits_held', 750],
        ['lockyard_permits_capacity', 1_250],
        ['lockyard_kept_holds', 250],
        ['lockyard_grants_total', 250],
      ] as const) {
        const { series } = scraped.get(name) ?? { series: [] };
        expect(series).toHaveLength(201);
        expect(sumOf(scraped, name)).toBe(sum);
        expect(series.find((each) => each.labels.namespace === '_other')?.value).toBe(sum / 5);
      }
    }
  });

  it('add up the same namespaces at every process, whichever occurred there first', async () => {
    const namespaces = Array.from({ length: 250 }, (_, i) => `team-${i}`);
    const others = (occurring: string[]) => {
      const labels = new NamespaceLabels();
      labels.nameOldest(namespaces);
      const counted = eventMetrics([], labels, occurring.map(groupIn));
      expect(counted[0]?.samples).toHaveLength(201);
      return namespaces.filter((namespace) => labels.of(namespace) === '_other');
    };
    expect(others([...namespaces].reverse())).toEqual(namespaces.slice(200));
    expect(others(namespaces)).toEqual(namespaces.slice(200));
  });

  it('count a duration equal to a bound in the bucket that ends there', () => {
    const tally = new EventTally();
    const event = { at: 0, rev: 1, service: 's', owner: 'o' } as const;
    const bounds = Array.from({ length: 14 }, (_, i) => 4 ** i);
    for (const ms of bounds) {
      tally.add('default', { ...event, kind: 'granted', waitedMs: ms });
      tally.add('default', { ...event, kind: 'released', heldMs: ms });
    }
    const sum = new EventTally();
    sum.addAll(tally);
    const families = eventMetrics([{ publicId: 'default', tally: sum }], new NamespaceLabels(), []);
    for (const name of ['lockyard_wait_seconds', 'lockyard_hold_seconds']) {
      const family = families.find((each) => each.name === name);
      const [sample] = family?.type === 'histogram' ? family.samples : [];
      expect(sample?.buckets).toEqual(bounds.map((ms, i) => [ms / 1_000, i + 1]));
    }
  });

  it('omit the lag of the event loop before it was sampled', async () => {
    const metrics = new Metrics();
    const shortest = async () =>
      parseExposition(await metrics.text()).get('nodejs_eventloop_lag_min_seconds')?.series[0]
        ?.value;
    expect(await shortest()).toBeUndefined();
    await vi.waitFor(async () => expect(await shortest()).toBeLessThan(60), { timeout: 10_000 });
  });
});

describe('counters of events', () => {
  it('begin at 0 in a process that takes over, so that rates include the first event', async () => {
    const rig = await MonitoringRig.open('sqlite');
    try {
      const before = await rig.watch();
      const key = freshKey();
      await takeLock(before, key, 'w1', { leaseMs: 60_000 });
      const values = async ({ monitoring }: MonitoringMember, name: string) => {
        const { series } = parseExposition(await monitoring.metrics.text()).get(name) ?? {};
        const own = series?.filter(({ labels }) => labels.namespace === key.namespace);
        return own?.map(({ value }) => value);
      };
      const grants = 'lockyard_grants_total';
      const soon = { timeout: 20_000, interval: 50 };
      await vi.waitFor(async () => expect(await values(before, grants)).toEqual([1]), soon);
      const after = await rig.watch();
      for (const name of [
        grants,
        'lockyard_wait_timeouts_total',
        'lockyard_lease_expiries_total',
        'lockyard_forced_releases_total',
        'lockyard_attempts_refused_total',
        'lockyard_tokens_refused_total',
      ]) {
        await vi.waitFor(async () => expect(await values(after, name)).toEqual([0]), soon);
      }
      for (const name of ['lockyard_wait_seconds', 'lockyard_hold_seconds']) {
        const zeros = Array.from({ length: 17 }, () => 0);
        await vi.waitFor(async () => expect(await values(after, name)).toEqual(zeros), soon);
      }
    } finally {
      await rig.close();
    }
  });
});

describe('metrics of permits and of kept holds', () => {
  let rig: MonitoringRig;
  afterEach(() => rig.close());

  it('show permits held and in total, and which releases left the lock taken', async () => {
    rig = await MonitoringRig.open('sqlite');
    const watcher = await rig.watch();
    const shows = (permits: number, capacity: number, kept: number) =>
      vi.waitFor(
        async () => {
          const text = await watcher.monitoring.metrics.text();
          expect(sumOf(text, 'lockyard_permits_held')).toBe(permits);
          expect(sumOf(text, 'lockyard_permits_capacity')).toBe(capacity);
          expect(sumOf(text, 'lockyard_kept_holds')).toBe(kept);
        },
        { timeout: 10_000, interval: 50 },
      );
    const [pool, nightly] = [freshKey(), freshKey()];
    const wanted = { mode: 'permit', capacity: 5, leaseMs: 60_000 } as const;
    const first = await takeLock(watcher, pool, 'w1', { ...wanted, permits: 3 });
    await takeLock(watcher, pool, 'w2', { ...wanted, permits: 1 });
    await shows(4, 5, 0);
    await release(watcher, pool, 'w1', first.token);
    const least = { leaseMs: 60_000, holdAtLeastMs: 60_000 };
    const { token } = await takeLock(watcher, nightly, 'w3', least);
    await release(watcher, nightly, 'w3', token);
    await shows(1, 5, 1);
  });
});

describe.each(sampledStores.filter((name) => can(name, 'manyProcesses')))(
  'metrics of several processes over one %s',
  (name) => {
    let rig: MonitoringRig;
    afterEach(() => rig.close());

    it('count every event once in sum, even if maintenance moves to another process', async () => {
      rig = await MonitoringRig.open(name);
      const watchers = [await rig.watch(), await rig.watch()];
      const texts = () =>
        Promise.all(watchers.map(({ monitoring }: MonitoringMember) => monitoring.metrics.text()));
      const total = async (metric: string) =>
        (await texts()).reduce((sum, text) => sum + sumOf(text, metric), 0);
      const worker = await rig.engines.join();
      const work = async () => {
        const key = freshKey();
        for (let i = 0; i < 10; i += 1) {
          const { token } = await takeLock(worker, key, 'w1');
          await release(worker, key, 'w1', token);
        }
      };
      const soon = (look: () => Promise<void>) =>
        vi.waitFor(look, { timeout: 10_000, interval: 50 });
      await work();
      await soon(async () => expect(await total('lockyard_grants_total')).toBe(10));
      await soon(async () => {
        const doing = (await texts()).map((text) => sumOf(text, 'lockyard_chores'));
        expect(doing.sort()).toEqual([0, 1]);
      });
      const counted = (await texts()).map((text) => sumOf(text, 'lockyard_grants_total'));
      expect(counted.sort((a, b) => a - b)).toEqual([0, 10]);
      const chief = watchers.find(({ intents }) => intents.asked > 0);
      expect(chief).toBeDefined();
      await chief?.monitoring.close();
      await work();
      await soon(async () => expect(await total('lockyard_grants_total')).toBe(20));
    });
  },
);
