import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMMAND_GRACE_MS } from '../../core/timing';
import { freshKey } from '../../storage/conformance/testing/changes';
import { CommandQueue } from '../command-queue';
import { EngineContext } from '../engine-context';
import { EngineRig, newProcess } from '../testing/engine-rig';
import { FaultyStore, firstFates } from '../testing/faulty-store';

let rig: EngineRig;

beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
});
afterAll(() => rig.close());

it('a command with little time is answered within it, even behind others with more', async () => {
  const faults = new FaultyStore(await rig.under.another());
  const context = new EngineContext(rig.optionsOver(faults, newProcess()));
  await context.membership.start();
  const commands = new CommandQueue(context);
  faults.onRead = firstFates(
    (keys) => keys.some(({ namespace }) => namespace === 'default'),
    ...Array.from({ length: 2 }, () => ({ kind: 'pass' as const, afterMs: 3_000 })),
  );
  const startedAt = performance.now();
  const slow = commands.run(freshKey(), { verb: 'inspect' }).catch(({ reason }) => reason);
  const urgent = commands.run(freshKey(), { verb: 'inspect' }, commands.dueAt() - 3_000);
  await expect(urgent).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
  expect(performance.now() - startedAt).toBeLessThan(500 + COMMAND_GRACE_MS + 1_500);
  await slow;
  await context.membership.stop();
  await faults.close();
});
