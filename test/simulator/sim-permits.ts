import type { Mode } from '@/server/contract/primitives';
import { anonymousRequest } from '@/server/engine/request-identity';
import type { RecordKey } from '@/server/storage/record-store';
import type { SimClient } from './sim-client';
import type { SimWorld } from './sim-world';

/** The capacity that all callers pass. */
export const SIM_CAPACITY = 5;

/** The mode that a caller asks for: mostly permits, in a world where callers take permits. */
export function wantedOf({ permitRandom: random }: SimWorld, mode: Mode) {
  if (!random || random() < 0.2) return { mode };
  const permits = random() < 0.6 ? 1 : 1 + Math.floor(random() * SIM_CAPACITY);
  return { mode: 'permit' as const, permits, capacity: SIM_CAPACITY };
}

/** Changes, as an operator, how many permits may be held at the same time. */
export async function changeCapacity(
  client: SimClient,
  key: RecordKey,
  random: () => number,
): Promise<void> {
  const { world, checks } = client;
  const seen = checks.referee.record(key)?.capacity?.inForce;
  if (seen === undefined) return;
  const capacity = SIM_CAPACITY - 2 + Math.floor(random() * 5);
  const why = { by: 'ana', reason: 'drill', request: anonymousRequest(world.newText) };
  await client.call(
    (engine) => engine.run(key, { verb: 'setCapacity', seen, capacity, ...why }),
    () => undefined,
  );
}
