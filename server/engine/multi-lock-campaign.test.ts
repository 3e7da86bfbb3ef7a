import { afterEach, describe, expect, it } from 'vitest';
import type { LockEvent } from '../core/lock/lock-event';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import { EngineRig } from './testing/engine-rig';
import { eventsByLock } from './testing/events-by-lock';
import { checkHistory } from './testing/history-checker';
import { runMultiLockCampaign } from './testing/multi-lock-campaign';
import { newSeed } from './testing/seeded';

/** While all goes well, and while replies are lost. */
const [SETS, FAULTY_SETS] = process.env.TEST_LONG === '1' ? [1_000, 100] : [20, 6];
const CALLERS = 32;
const NAMES = 12;

let rig: EngineRig;
afterEach(() => rig?.close());

/**
 * Grants beside a hold that had not ended, where one of the two is exclusive, by what was written.
 */
function crowded(events: LockEvent[]): LockEvent[] {
  const live = new Map<number, LockEvent>();
  return events.filter((event) => {
    const { kind, token = 0, mode } = event;
    if (['released', 'expired', 'late'].includes(kind)) live.delete(token);
    if (kind !== 'granted') return false;
    const others = [...live.values()];
    live.set(token, event);
    return others.some((other) => other.mode === 'exclusive' || mode === 'exclusive');
  });
}

describe.each(storeNames)('random overlapping multi-locks over %s', (name) => {
  it.each([
    [`${SETS} of them while all goes well`, SETS, 0],
    [`and ${FAULTY_SETS} of them while replies are lost and late`, FAULTY_SETS, 0.03],
  ])(`all end, from ${CALLERS} callers at two processes, %s`, async (_, multiLocks, faults) => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    rig = await EngineRig.open(name);
    const keys = Array.from({ length: NAMES }, () => freshKey());
    const startedAt = performance.now();
    const { calls, shared, granted, parts, timedOut } = await runMultiLockCampaign({
      rig,
      seed,
      callers: CALLERS,
      multiLocks,
      keys,
      faults,
    });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.info(`${granted} granted, ${timedOut} waits timed out, ${seconds} s`);
    const revertedGrants = (lock: string) => shared.get(lock) ?? 0;
    expect(checkHistory(calls, { revertedGrants }), `seed ${seed}`).toEqual([]);
    const events = await eventsByLock(rig.under.store, keys);
    for (const ofLock of events.values()) expect(crowded(ofLock), `seed ${seed}`).toEqual([]);
    expect(parts, `seed ${seed}`).toEqual([]);
    expect(granted, `seed ${seed}`).toBe(multiLocks);
  });
});
