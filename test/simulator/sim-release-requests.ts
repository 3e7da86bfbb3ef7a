import type { ReleaseRequestAnswer } from '@/server/contract/console/operator-answers';
import { anonymousRequest } from '@/server/engine/request-identity';
import type { RecordKey } from '@/server/storage/record-store';
import type { SimClient } from './sim-client';

/** Asks a holder, as an operator, to release the lock, or blocks its renewals. */
export async function requestRelease(
  client: SimClient,
  key: RecordKey,
  random: () => number,
): Promise<void> {
  const { world, checks } = client;
  const { holds = [] } = checks.referee.record(key) ?? {};
  const hold = holds[Math.floor(random() * holds.length)];
  if (!hold) return;
  const { token } = hold;
  await world.scheduler.pause(random() * 50);
  const verb = random() < 0.6 ? 'askRelease' : 'stopRenewals';
  const why = { by: 'ana', reason: 'drill', request: anonymousRequest(world.newText) };
  await client.call<ReleaseRequestAnswer>(
    (engine) => engine.run(key, { verb, token, ...why }),
    (heard) => checks.releaseRequested(key, { verb, token }, heard),
  );
}
