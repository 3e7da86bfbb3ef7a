import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  release,
  takeLock,
} from './testing/engine-rig';

describe.concurrent.each(storeNames)('one request over several calls, over %s', (name) => {
  let rig: EngineRig;
  let a: Member;
  let b: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    a = await rig.join();
    b = await rig.join();
  });
  afterAll(() => rig.close());

  it('has one patience, also where another process is the first to see it end', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const parts = { waitMs: 2_400, requestId: 'r' };
    const first = await acquire(a, key, 'w2', { ...parts, wait: { holdRequestMs: 1_200 } });
    expect(first).toMatchObject({ outcome: 'queued' });
    const second = acquire(a, key, 'w2', parts);
    let isOver = false;
    const busybody = async () => {
      while (!isOver) await b.engine.run(key, { verb: 'settle' }).then(() => pause(5));
    };
    const watching = busybody();
    const startedAt = performance.now();
    expect((await second).outcome).toBe('timeout');
    // Half of it is gone; started again it would be 2.4 s.
    expect(performance.now() - startedAt).toBeLessThan(2_300);
    isOver = true;
    await watching;
    const queued = (await eventKinds(rig.under.store, key)).filter((kind) => kind === 'queued');
    expect(queued).toHaveLength(1);
  });

  it('keeps its place while one of its calls is on the line, though another hangs up', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const parts = { waitMs: 20_000, requestId: 'r' };
    const broken = new AbortController();
    const first = acquire(a, key, 'w2', { ...parts, wait: { signal: broken.signal } });
    await pause(100);
    const second = acquire(a, key, 'w2', parts);
    await pause(100);
    broken.abort();
    await first;
    await pause(100);
    const startedAt = performance.now();
    await release(a, key, 'w1', token);
    expect(await second).toMatchObject({ outcome: 'granted', holdCount: 1 });
    expect(performance.now() - startedAt).toBeLessThan(1_800);
  });
});
