import { anonymousRequest } from '@/server/engine/request-identity';
import { seeded } from '@/server/engine/testing/seeded';
import type { RecordKey } from '@/server/storage/record-store';
import type { SimClient } from './sim-client';
import { worldKind } from './world-kind';

const REASSIGNS = 0xa551;
const SHARE = 0.2;

/**
 * The random numbers that decide whether and to whom operators reassign locks; null where they
 * never do. They are separate, so that the worlds of older seeds stay the same.
 */
export function reassignRandom(seed: number): (() => number) | null {
  const kind = worldKind(seed);
  const isOne = kind === 'plain' || kind === 'sharded' || kind === 'permits';
  return isOne && seeded(seed ^ REASSIGNS)() < SHARE ? seeded(seed ^ REASSIGNS ^ 1) : null;
}

/** Gives a lock, as an operator, to one of its waiters, wherever that is in the queue. */
export async function reassignHold(
  client: SimClient,
  key: RecordKey,
  random: () => number,
): Promise<void> {
  const { world, checks } = client;
  const { holds = [], queue = [] } = checks.referee.record(key) ?? {};
  const hold = holds[Math.floor(random() * holds.length)];
  const waiter = queue[Math.floor(random() * queue.length)];
  if (!hold || !waiter) return;
  const { token } = hold;
  const { ticket } = waiter;
  await world.scheduler.pause(random() * 50);
  const why = { by: 'ana', reason: 'drill', request: anonymousRequest(world.newText) };
  const call = client.record('force', key, token, 0);
  const reply = await client.call<{ outcome: string }>(
    (engine) => engine.run(key, { verb: 'reassign', token, ticket, ...why }),
    (heard) => checks.forced(key, token, heard),
  );
  const isDone = reply !== 'silence' && 'answer' in reply && reply.answer.outcome === 'reassigned';
  client.conclude(call, reply, isDone, token);
}
