import { expect, it } from 'vitest';
import { STOCK } from '@/scripts/demo/ticket-shop';
import { sinceEra } from '../../core/fencing-token';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { playDemoHour } from './play-demo-hour';

const NOW = Date.UTC(2026, 10, 20, 9);

it('an hour of the demo has one incident that an operator ended, and leaves no lock held', () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  const { world, readings, act } = playDemoHour(NOW, 1, seeded(seed));
  for (const { record } of world.locks.values()) {
    expect(record.holds.filter(({ releasedAt }) => releasedAt === undefined)).toEqual([]);
    expect(record.queue).toEqual([]);
    expect(record.rev).toBeLessThan(sinceEra(NOW));
  }
  const stuck = readings.incidents.filter(({ last }) => last.status === 'stuck');
  expect(stuck.map(({ key }) => key.name)).toEqual(['inventory:wh7:sku-10442']);
  expect(act?.at).toBeGreaterThan(stuck[0]?.first.readAt ?? NOW);
  const released = world.changes.flatMap(({ events }) => events.filter((e) => e.kind === 'forced'));
  expect(released).toHaveLength(1);
  expect(world.changes.every(({ events }) => events.every(({ at }) => at <= NOW))).toBe(true);
  for (const { key, record } of world.counters.values()) {
    const steps = world.changes
      .filter((change) => change.key.name === key.name)
      .flatMap(({ events }) => events);
    const sum = steps.reduce(
      (total, event) => total + ('delta' in event ? (event.delta ?? 0) : 0),
      0,
    );
    expect(sum).toBe(record.value - (key.name === STOCK ? 200 : 31));
  }
  expect(readings.samples).toHaveLength(126);
});
