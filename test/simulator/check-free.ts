import type { LockEngine } from '@/server/engine/lock-engine';
import { anonymousRequest } from '@/server/engine/request-identity';
import type { RecordKey } from '@/server/storage/record-store';
import type { Referee } from './referee';
import type { SimWorld } from './sim-world';

/**
 * How often a store that has lost data is called: the next call notices a loss at the latest.
 */
const TRIES_OF_LOSSY = 10;
const TRY_EVERY_MS = 1_000;

/** How often room is made for a name. */
const TRIES_OF_CROWDED = 4;

/**
 * Checks that a lock that all callers have left can be acquired immediately, or, after a data loss,
 * as soon as grants have resumed.
 */
export async function checkFree(world: SimWorld, truth: Referee): Promise<void> {
  const { engine } = await world.join();
  for (const key of world.keys) {
    let outcome = await tryAcquire(world, engine, key);
    for (
      let tries = 1;
      world.lossyStore && outcome !== 'granted' && tries < TRIES_OF_LOSSY;
      tries += 1
    ) {
      if (outcome === 'frozen') await unfreeze(world, engine, key);
      await world.scheduler.pause(TRY_EVERY_MS);
      outcome = await tryAcquire(world, engine, key);
    }
    for (
      let tries = 1;
      world.crowd && outcome !== 'granted' && tries < TRIES_OF_CROWDED;
      tries += 1
    ) {
      await world.crowd.makeRoom();
      outcome = await tryAcquire(world, engine, key);
    }
    if (outcome !== 'granted') truth.report(`${key.name} is ${outcome} for ever`);
  }
}

async function tryAcquire(
  { newText }: SimWorld,
  engine: LockEngine | null,
  key: RecordKey,
): Promise<string | undefined> {
  const request = anonymousRequest(newText);
  const asked = { leaseMs: 1_000, waitMs: 0, mode: 'exclusive', reentrant: false } as const;
  const party = { service: 'orders', owner: 'probe', meta: {} };
  const ask = { verb: 'acquire', ...party, ...asked, request } as const;
  return engine?.acquire(key, ask, { holdRequestMs: 0 }).then(
    ({ outcome }) => outcome,
    (error) => error.reason,
  );
}

/** An older copy may contain a freeze that was lifted since. */
async function unfreeze({ newText }: SimWorld, engine: LockEngine | null, key: RecordKey) {
  const request = anonymousRequest(newText);
  const why = { by: 'ana', reason: 'an older copy', request };
  await engine?.run(key, { verb: 'unfreeze', ...why }).catch(() => undefined);
}
