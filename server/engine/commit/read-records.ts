import { STORE_RETRY_MS } from '../../core/timing';
import type { ReadResult, RecordKey } from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { backendDown } from '../refusals';
import { hasTimeToRetry } from './has-time-to-retry';

/**
 * Reads records and stored answers, with retries until `dueAt` on the monotonic clock.
 *
 * @throws LockyardError `BACKEND_DOWN`
 */
export async function readRecords(
  context: EngineContext,
  keys: RecordKey[],
  requestKeys: string[],
  dueAt: number,
): Promise<ReadResult> {
  for (;;) {
    try {
      return await readOnce(context, keys, requestKeys);
    } catch (cause) {
      if (!hasTimeToRetry(dueAt, context.monotonic())) throw backendDown(cause);
    }
    await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
  }
}

/**
 * Reads records and stored answers in one attempt.
 *
 * @throws StoreError
 */
export async function readOnce(
  context: EngineContext,
  keys: RecordKey[],
  requestKeys: string[],
): Promise<ReadResult> {
  const readAt = context.monotonic();
  const read = await context.store.read(keys, requestKeys);
  let shown = Number.NaN;
  for (const { now } of read.records) {
    // Most records of a packet show the same clock, which is measured once.
    if (now === shown) continue;
    context.observeClock(now, readAt);
    shown = now;
  }
  return read;
}
