import type { AcquireAnswer } from '@/server/contract/lock/answers';
import type { AcquireCommand } from '@/server/core/lock/lock-command';
import { anonymousRequest } from '@/server/engine/request-identity';
import type { RecordKey } from '@/server/storage/record-store';
import { SERVICE, type SimClient } from './sim-client';

/** Re-enters a lock that this caller holds, and releases it as often as it entered. */
export async function acquireTwice(
  client: SimClient,
  key: RecordKey,
  token: number,
  leaseMs: number,
): Promise<void> {
  const { world, checks, owner } = client;
  const { referee } = checks;
  const record = referee.record(key);
  const { mode = 'exclusive', permits } = record?.holds.find((hold) => hold.token === token) ?? {};
  const capacity = record?.capacity?.named;
  const wanted = permits === undefined || capacity === undefined ? {} : { permits, capacity };
  const request = anonymousRequest(world.newText);
  const plain = { waitMs: 0, mode, ...wanted, reentrant: true, meta: {}, request };
  const ask: AcquireCommand = { verb: 'acquire', service: SERVICE, owner, leaseMs, ...plain };
  const call = client.record('acquire', key, null, leaseMs);
  client.unsure.add(key.name);
  const reply = await client.call<AcquireAnswer>(
    (engine) => engine.acquire(key, ask, { holdRequestMs: 0 }),
    (heard) => {
      if (!('answer' in heard) || heard.answer.outcome !== 'granted') return;
      const { token: entered, holdCount } = heard.answer;
      const held = referee.liveHold(key, entered);
      if (held && (held.owner !== owner || held.count !== holdCount)) {
        referee.report(
          `${owner} was answered with ${holdCount} entries of ${entered}, and has others`,
        );
      }
      if (mode === 'exclusive' && entered !== token && referee.liveHold(key, token)) {
        referee.report(`${owner} holds ${token} on ${key.name}, and entered ${entered} instead`);
      }
    },
  );
  const answer = reply !== 'silence' && 'answer' in reply ? reply.answer : null;
  const granted = answer?.outcome === 'granted' ? answer : null;
  // If the lease expired meanwhile, this is a new grant.
  if (granted && granted.holdCount > 1) call.verb = 'reenter';
  client.conclude(call, reply, granted !== null, granted?.token ?? null);
  if (granted) {
    const first = await client.release(key, granted.token);
    if (first === 'released' && call.verb === 'reenter') {
      referee.report(`${granted.token} was entered twice, and released by one release`);
    }
  }
  await client.release(key, token);
}
