import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { creation, freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import { acquire, EngineRig, pause, release, takeLock } from './testing/engine-rig';

describe.each(storeNames)('signs of life over %s', (name) => {
  let rig: EngineRig;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
  });
  afterAll(() => rig.close());

  it('of a living process are found among thousands of dead ones', async () => {
    const dead = Array.from({ length: 2_500 }, (_, i) =>
      creation({ namespace: '.lockyard', name: `process/!${i}` }, { head: '1' }),
    );
    for (let i = 0; i < dead.length; i += 250) await rig.under.store.swap(dead.slice(i, i + 250));
    const [here, there] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const { token } = await takeLock(here, key, 'w1');
    const waiting = acquire(there, key, 'w2', { waitMs: 10_000 });
    await pause(300);
    await here.engine.run(key, { verb: 'settle' });
    const { waiters } = await here.engine.run(key, { verb: 'inspect' });
    expect(waiters).toMatchObject([{ owner: 'w2', place: 1 }]);
    await release(here, key, 'w1', token);
    expect(await waiting).toMatchObject({ outcome: 'granted' });
  });
});
