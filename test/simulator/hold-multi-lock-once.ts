import type { AcquireManyAnswer } from '@/server/contract/multi-lock';
import type { AcquireMultiLockCommand } from '@/server/core/multi-lock/multi-lock-command';
import { anonymousRequest, requestIdentity } from '@/server/engine/request-identity';
import type { RecordKey } from '@/server/storage/record-store';
import { askAgainSoon, hangUpMultiLock } from './hang-up';
import { SERVICE, type SimClient } from './sim-client';
import type { SimWorld } from './sim-world';

const TRIES = 4;

/** Acquires all locks together, or those of a shard, holds them for a while, and releases some. */
export async function holdMultiLockOnce(client: SimClient): Promise<void> {
  const { random, scheduler } = client.world;
  const leaseMs = 300 + Math.floor(random() * 900);
  const granted = await acquireMultiLock(client, leaseMs);
  if (granted?.outcome !== 'granted') return;
  await scheduler.pause(random() < 0.15 ? leaseMs * 1.3 : random() * 40);
  const keyOf = (name: string) => ({ namespace: 'default', name });
  if (random() < 0.3) {
    await Promise.all(
      granted.grants.map(({ name, token }) => client.renew(keyOf(name), token, leaseMs)),
    );
  }
  for (const { name, token } of granted.grants) {
    if (random() < 0.9) await client.release(keyOf(name), token);
  }
}

/** With shards, mostly the locks of one shard: all locks together would be refused. */
function keysOfMultiLock(world: SimWorld): RecordKey[] {
  const { keys, isSharded, crowd, random } = world;
  if (crowd) {
    const from = Math.floor(random() * (keys.length - 1));
    return keys.slice(from, from + 2);
  }
  if (!isSharded || random() < 0.3) return keys;
  const one = world.databases[Math.floor(random() * world.databases.length)];
  return keys.filter((key) => world.databaseOf(key) === one);
}

/** Null: unknown. */
async function acquireMultiLock(
  client: SimClient,
  leaseMs: number,
): Promise<AcquireManyAnswer | null> {
  const { random, newText } = client.world;
  const keys = keysOfMultiLock(client.world);
  const { owner } = client;
  const patienceMs = random() < 0.3 ? 0 : Math.floor(random() * 2_500);
  // A waiter keeps its place, whether or not there is room when its turn comes.
  const waitMs = client.world.crowd?.isAlone ? 0 : patienceMs;
  const locks = keys.map(({ name }) => ({
    name,
    mode: random() < client.world.shared ? ('shared' as const) : ('exclusive' as const),
  }));
  const asked = { owner, locks, leaseMs, waitMs, meta: {} };
  const requestId = random() < 0.6 ? client.newId() : undefined;
  const scope = { service: SERVICE, verb: 'acquireMany', namespace: 'default', name: 'all' };
  const request =
    requestId === undefined
      ? anonymousRequest(newText)
      : requestIdentity({ ...scope, requestId, input: asked });
  const ask: AcquireMultiLockCommand = { verb: 'acquireSet', service: SERVICE, ...asked, request };
  const again = () => askOnce(client, ask, requestId);
  const { crowd } = client.world;
  const leapsBefore = crowd?.leaps;
  const duplicate = requestId !== undefined && random() < 0.15 && !crowd ? again() : null;
  let answer = await again();
  await duplicate;
  for (let tries = 0; requestId !== undefined && tries < TRIES; tries += 1) {
    if (answer !== null && answer.outcome !== 'queued') return answer;
    if (crowd?.leaps !== leapsBefore) break;
    answer = await again();
  }
  if (answer?.outcome === 'queued' && requestId !== undefined) {
    const names = locks.map(({ name }) => name);
    const cancel = { verb: 'cancelSet', service: SERVICE, owner, names, request } as const;
    client.checks.cancelling(request);
    await client.call(
      (engine) => engine.multiLocks.cancel('default', cancel),
      (heard) => client.checks.cancelled(keys, request.key, heard),
    );
  }
  return answer;
}

async function askOnce(
  client: SimClient,
  ask: AcquireMultiLockCommand,
  requestId: string | undefined,
): Promise<AcquireManyAnswer | null> {
  const { world, unsure, checks } = client;
  const { leaseMs, waitMs } = ask;
  const holdRequestMs = world.random() < 0.3 ? world.random() * waitMs : 25_000;
  const keys = ask.locks.map(({ name }) => ({ namespace: 'default', name }));
  const calls = keys.map((key) => client.record('acquire', key, null, leaseMs, requestId));
  for (const { name } of keys) unsure.add(name);
  checks.asking(ask.request);
  const { hangUps, resends } = world;
  if (waitMs > 0 && hangUps && hangUps() < 0.3) {
    const again = () => askOnce(client, ask, requestId);
    const repeated = requestId === undefined ? null : askAgainSoon(client, ask, again, resends);
    await hangUpMultiLock(client, keys, ask, holdRequestMs, hangUps);
    for (const call of calls) client.conclude(call, 'silence', false, null);
    return repeated;
  }
  const reply = await client.call<AcquireManyAnswer>(
    (engine) => engine.multiLocks.acquire('default', ask, { holdRequestMs }),
    (heard) => checks.acquiredMultiLock(ask, heard),
    waitMs,
  );
  const answer = reply !== 'silence' && 'answer' in reply ? reply.answer : null;
  const grants = answer?.outcome === 'granted' ? answer.grants : [];
  for (const call of calls) {
    const grant = grants.find(({ name }) => name === call.lock);
    call.mayFollow = answer?.outcome === 'queued' || answer?.outcome === 'ended';
    client.conclude(call, reply, grant !== undefined, grant?.token ?? null);
  }
  return answer;
}
