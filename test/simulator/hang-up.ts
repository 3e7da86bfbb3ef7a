import type { AcquireCommand } from '@/server/core/lock/lock-command';
import type { AcquireMultiLockCommand } from '@/server/core/multi-lock/multi-lock-command';
import { isFingerprintOf } from '@/server/core/request-fingerprint';
import type { LockEngine } from '@/server/engine/lock-engine';
import type { RecordKey } from '@/server/storage/record-store';
import type { SimClient } from './sim-client';
import type { Step } from './sim-database';

/** The longest time from a step until its caller has the answer. */
const HOP_MS = 6;

/**
 * Sends a request once more while its first call may still wait, or as that hangs up. Null: the
 * caller does not, or it does not learn the outcome.
 */
export async function askAgainSoon<A>(
  { world }: SimClient,
  { waitMs }: Pick<AcquireCommand, 'waitMs'>,
  again: () => Promise<A | null>,
  random: () => number,
): Promise<A | null> {
  if (random() < 0.5) return null;
  await world.scheduler.pause(random() * waitMs);
  return again();
}

/** Waits for a lock, and hangs up: see `hangUpDuring`. */
export function hangUp(
  client: SimClient,
  key: RecordKey,
  asked: AcquireCommand,
  holdRequestMs: number,
  random: () => number,
): Promise<void> {
  const hangUpNoticed = () => new Promise<void>((resolve) => setImmediate(resolve));
  return hangUpDuring(client, [key], asked, random, (engine, ask, signal) =>
    engine.acquire(key, ask, { holdRequestMs, signal, hangUpNoticed }),
  );
}

/** The same for several locks together. */
export function hangUpMultiLock(
  client: SimClient,
  keys: RecordKey[],
  asked: AcquireMultiLockCommand,
  holdRequestMs: number,
  random: () => number,
): Promise<void> {
  return hangUpDuring(client, keys, asked, random, (engine, ask, signal) =>
    engine.multiLocks.acquire('default', ask, { holdRequestMs, signal }),
  );
}

/**
 * Acquires, and hangs up before the answer or just as it arrives. Where nothing goes wrong, a grant
 * to a caller without a request id is undone before its call ends.
 */
async function hangUpDuring<C extends AcquireCommand | AcquireMultiLockCommand>(
  client: SimClient,
  keys: RecordKey[],
  asked: C,
  random: () => number,
  acquire: (engine: LockEngine, ask: C, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { world, checks } = client;
  const { referee } = checks;
  const line = new AbortController();
  const { signal } = line;
  const { owner, waitMs, request } = asked;
  const mark = world.newText();
  const ask = request.remembered ? asked : { ...asked, meta: { mark } };
  const endsAfterMs = random() * waitMs;
  await client.call(
    (engine, process) => {
      const hangUpIn = (ms: number) => world.scheduler.after(ms, process, () => line.abort());
      hangUpIn(endsAfterMs);
      const onStep = ({ change }: Step) => {
        const isIts = keys.some(({ name }) => name === change.key.name);
        if (isIts && random() < 0.3) hangUpIn(random() * HOP_MS);
      };
      referee.stepListeners.add(onStep);
      signal.addEventListener('abort', () => referee.stepListeners.delete(onStep));
      return acquire(engine, ask, signal);
    },
    (heard) => {
      const isCertain = 'answer' in heard && world.faults === 0 && !world.clockSteps;
      if (!isCertain || !signal.aborted || request.remembered) return;
      for (const key of keys) {
        const kept = referee.holdsOf(key).find(({ meta }) => meta.mark === mark);
        if (kept) referee.report(`${owner} hung up, and is left with ${kept.token}`);
        const queue = referee.record(key)?.queue ?? [];
        const waiter = queue.find(({ tag }) => isFingerprintOf(tag, request.key));
        if (waiter) referee.report(`${owner} hung up, and ticket ${waiter.ticket} still waits`);
      }
    },
    waitMs,
  );
}
