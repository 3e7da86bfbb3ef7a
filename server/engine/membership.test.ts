import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEAD_AFTER_MS } from '../core/timing';
import { creation, freshKey, stored } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { Change } from '../storage/record-store';
import { heartbeatKey, Membership } from './membership';
import { StoreClock } from './store-clock';
import { acquire, EngineRig, pause, release, renew, takeLock } from './testing/engine-rig';
import { eventsByLock } from './testing/events-by-lock';
import { FaultyStore, firstFates, PASS } from './testing/faulty-store';
import { untilQueued } from './testing/observed-calls';

const isHeartbeat = (changes: Change[]) =>
  changes.some(({ key }) => key.name.startsWith('process/'));

interface Observed {
  membership: Membership;
  faults: FaultyStore;
  /** Its monotonic clock shows the present instant from now on. */
  stopClock(): void;
  process: string;
}

describe.each(storeNames)('heartbeats over %s', (name) => {
  let rig: EngineRig;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
  });
  afterAll(() => rig.close());

  it('of a live process are found among more dead ones than one read returns', async () => {
    const dead = Array.from({ length: 1_100 }, (_, i) =>
      creation({ namespace: '.lockyard', name: `process/!${i}` }, { head: '1' }),
    );
    for (let i = 0; i < dead.length; i += 250) await rig.under.store.swap(dead.slice(i, i + 250));
    const [here, there] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const { token } = await takeLock(here, key, 'w1');
    const waiting = acquire(there, key, 'w2', { waitMs: 10_000 });
    await untilQueued(here, key, 1);
    await pause(300);
    await here.engine.run(key, { verb: 'expireAndPromote' });
    const { waiters } = await here.engine.run(key, { verb: 'inspect' });
    expect(waiters).toMatchObject([{ owner: 'w2', place: 1 }]);
    await release(here, key, 'w1', token);
    expect(await waiting).toMatchObject({ outcome: 'granted' });
  });

  it('however slow, date no change of a lock before the one that it follows', async () => {
    const slow = new FaultyStore(await rig.under.another());
    slow.onSwap = (changes) => ({ kind: 'pass', afterMs: isHeartbeat(changes) ? 400 : 0 });
    const member = await rig.joinWith(slow);
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1');
    for (let i = 0; i < 5; i += 1) await renew(member, key, 'w1', token);
    const events = (await eventsByLock(rig.under.store, [key])).get(key.name) ?? [];
    const instants = events.map(({ at }) => at);
    expect(instants).toHaveLength(6);
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
  });
});

describe.each(storeNames)('heartbeats of one process over %s, as another reads them,', (name) => {
  let rig: EngineRig;
  let here: Observed;
  let there: Observed;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    [here, there] = [await observed(), await observed()];
    await there.membership.start();
    expect(await isAlive()).toBe(true);
  });
  afterEach(async () => {
    await there.membership.stop();
    await Promise.all([here.faults.close(), there.faults.close()]);
  });

  const observed = async () => {
    const faults = new FaultyStore(await rig.under.another());
    const options = rig.optionsOver(faults);
    let { monotonic } = options.clock;
    const clock = { ...options.clock, monotonic: () => monotonic() };
    const membership = new Membership({ ...options, clock }, new StoreClock(clock.monotonic));
    const stopClock = () => {
      const stoppedAt = monotonic();
      monotonic = () => stoppedAt;
    };
    return { faults, membership, process: options.processId, stopClock };
  };
  const isAlive = async () => {
    await here.membership.refresh();
    return here.membership.isAlive(there.process);
  };
  const setClock = (ms: number) => {
    for (const { faults } of [here, there]) faults.clockSetMs = ms;
  };
  const setBack = () => setClock(-60_000);
  const setForward = () => setClock(60_000);
  /** Reads the heartbeats; `work` is done after the store has read them, before it replies. */
  const refreshDuring = (work: () => Promise<unknown>) => {
    here.faults.onScan = firstFates(() => true, { kind: 'pass', last: work });
    return here.membership.refresh();
  };

  it('are valid at once after the clock was set back', async () => {
    setBack();
    await there.membership.start();
    expect(await isAlive()).toBe(true);
  });

  it('do not outlast a crash any longer because the clock was set back', async () => {
    there.faults.goAway();
    setBack();
    expect(await isAlive()).toBe(true);
    await pause(DEAD_AFTER_MS + 50);
    expect(await isAlive()).toBe(false);
  });

  it('stay valid after the clock was set forward, until the next one is due', async () => {
    setForward();
    expect(await isAlive()).toBe(true);
    expect(await isAlive()).toBe(true);
  });

  it('do not outlast a crash any longer because the clock was set forward', async () => {
    there.faults.goAway();
    setForward();
    expect(await isAlive()).toBe(true);
    await pause(DEAD_AFTER_MS + 50);
    expect(await isAlive()).toBe(false);
  });

  it('of a process that had signed off stay invalid after the clock was set forward', async () => {
    await there.membership.stop();
    expect(await isAlive()).toBe(false);
    setForward();
    expect(await isAlive()).toBe(false);
  });

  it('do not become valid again once deleted, even if the clock is set back', async () => {
    there.faults.goAway();
    const key = heartbeatKey(there.process);
    const { rev, writer } = await stored(rig.under.store, key);
    expect(await rig.under.store.deleteRecords([{ key, rev, writer }])).toEqual([true]);
    await here.membership.refresh();
    setBack();
    expect(await isAlive()).toBe(false);
  });

  it('are not overwritten by older ones whose reply arrives later', async () => {
    await there.membership.stop();
    await refreshDuring(async () => {
      await there.membership.start();
      expect(await isAlive()).toBe(true);
    });
    expect(here.membership.isAlive(there.process)).toBe(true);
  });

  it('count as present while they cannot be read', async () => {
    const processes = [there.process, 'neverStarted'];
    const fresh = await observed();
    fresh.faults.onScan = firstFates(() => true, { kind: 'refuse' });
    await fresh.membership.refreshAbsent(processes);
    expect(processes.map(fresh.membership.isAlive)).toEqual([true, true]);
    await fresh.membership.refreshAbsent(processes);
    expect(processes.map(fresh.membership.isAlive)).toEqual([true, false]);
    await fresh.faults.close();
  });

  it('count again when their process is back, before its waiters are checked', async () => {
    await there.membership.stop();
    expect(await isAlive()).toBe(false);
    await there.membership.start();
    await here.membership.refreshAbsent([there.process]);
    expect(here.membership.isAlive(there.process)).toBe(true);
  });

  it('may be present again while they cannot be read', async () => {
    await there.membership.stop();
    expect(await isAlive()).toBe(false);
    here.faults.onScan = firstFates(() => true, { kind: 'refuse' });
    await here.membership.refreshAbsent([there.process]);
    expect(here.membership.isAlive(there.process)).toBe(true);
    await here.membership.refreshAbsent([there.process]);
    expect(here.membership.isAlive(there.process)).toBe(false);
  });

  it('are written while those of the others are read', async () => {
    let begin: () => void;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    there.faults.onRead = () => ({ kind: 'pass', first: () => begun });
    there.faults.onScan = () => {
      begin();
      return PASS;
    };
    let written = 0;
    there.faults.onSwap = () => {
      written += 1;
      return PASS;
    };
    await expect.poll(() => written).toBeGreaterThan(0);
  });

  it('keep the same period on a slow backend', async () => {
    const slowMs = 600;
    let begunAt = performance.now();
    let periodMs = Number.POSITIVE_INFINITY;
    there.faults.onScan = () => {
      periodMs = performance.now() - begunAt;
      begunAt += periodMs;
      return { kind: 'pass', afterMs: slowMs };
    };
    await expect.poll(() => periodMs > slowMs && periodMs < slowMs + 400).toBe(true);
  });

  it.each([
    ['the read of its own', 'onRead'],
    ['the write', 'onSwap'],
    ['the read of the others', 'onScan'],
  ] as const)('refuse no caller where %s fails a single time', async (_, call) => {
    let failures = 0;
    await there.membership.stop();
    // However busy the machine is, the heartbeat fails soon enough to be sent again.
    there.stopClock();
    there.faults[call] = () => {
      failures += 1;
      return { kind: failures === 1 ? 'refuse' : 'pass' };
    };
    await there.membership.start();
    expect(failures).toBeGreaterThan(1);
    expect(there.membership.refusal).toBe(null);
    there.faults[call] = () => ({ kind: 'refuse' });
    await expect.poll(() => there.membership.refusal).toMatchObject({ reason: 'BACKEND_DOWN' });
  });

  it('do not return with a late reply after the process has signed off', async () => {
    await refreshDuring(async () => {
      await there.membership.stop();
      expect(await isAlive()).toBe(false);
    });
    expect(here.membership.isAlive(there.process)).toBe(false);
  });
});
