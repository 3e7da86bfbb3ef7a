import type { AcquireCommand } from '@/server/core/lock/lock-command';
import { isFingerprintOf } from '@/server/core/request-fingerprint';
import { seeded } from '@/server/engine/testing/seeded';
import type { RecordKey } from '@/server/storage/record-store';
import type { SimClient } from './sim-client';
import type { Step } from './sim-database';
import { worldKind } from './world-kind';

const HANG_UPS = 0x592f;
const SHARE = 0.2;

/** Within this time after a step its caller gets the answer. */
const HOP_MS = 6;

/**
 * From what the callers of a world draw whether and when they hang up; null where they never do.
 * Separate random numbers, so that the worlds of older seeds stay the same.
 */
export function hangUpRandom(seed: number): (() => number) | null {
  const kind = worldKind(seed);
  const isOne = kind === 'plain' || kind === 'sharded' || kind === 'permits';
  return isOne && seeded(seed ^ HANG_UPS)() < SHARE ? seeded(seed ^ HANG_UPS ^ 1) : null;
}

/**
 * Waits for a lock, and hangs up before the answer or just when it comes. Where nothing goes wrong,
 * what a caller without a request id was granted is undone before its call ends.
 */
export async function hangUp(
  client: SimClient,
  key: RecordKey,
  asked: AcquireCommand,
  holdRequestMs: number,
  random: () => number,
): Promise<void> {
  const { world, checks } = client;
  const { referee } = checks;
  const { scheduler } = world;
  const line = new AbortController();
  const { signal } = line;
  const hangUpNoticed = () => new Promise<void>((resolve) => setImmediate(resolve));
  const { remembered } = asked.request;
  const mark = world.newText();
  const ask = remembered ? asked : { ...asked, meta: { mark } };
  const endsAfterMs = random() * ask.waitMs;
  await client.call(
    (engine, owner) => {
      const hangUpIn = (ms: number) => scheduler.after(ms, owner, () => line.abort());
      hangUpIn(endsAfterMs);
      const onStep = ({ change }: Step) => {
        if (change.key.name === key.name && random() < 0.3) hangUpIn(random() * HOP_MS);
      };
      referee.stepListeners.add(onStep);
      signal.addEventListener('abort', () => referee.stepListeners.delete(onStep));
      return engine.acquire(key, ask, { holdRequestMs, signal, hangUpNoticed });
    },
    (heard) => {
      const isCertain = 'answer' in heard && world.faults === 0 && !world.clockSteps;
      if (!isCertain || !signal.aborted || remembered) return;
      const kept = referee.holdsOf(key).find(({ meta }) => meta.mark === mark);
      if (kept) referee.report(`${ask.owner} hung up, and is left with ${kept.token}`);
      const waiter = referee
        .record(key)
        ?.queue.find(({ tag }) => isFingerprintOf(tag, ask.request.key));
      if (waiter) referee.report(`${ask.owner} hung up, and ticket ${waiter.ticket} still waits`);
    },
    ask.waitMs,
  );
}
