import { EXPIRE_BEFORE_READ_MAX_MS } from '../core/timing';
import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { CommandQueue } from './command-queue';
import type { EngineContext } from './engine-context';
import type { AnyAnswerOf, AnyCommand } from './record-type';

/** How often a read is repeated because another lease has expired meanwhile. */
const ROUNDS_MAX = 3;

/**
 * Reads records so that a lease reported as expired stays expired, for every process and even if
 * the backend's clock is set back: the end of an expired lease is written to the record before any
 * caller is answered. If that write is not possible, the answer is only true at this moment, and
 * can become untrue if the clock is set back.
 */
export class ExpiringReader {
  constructor(
    private readonly context: EngineContext,
    private readonly commands: CommandQueue,
  ) {}

  async read<C extends AnyCommand>(key: RecordKey, command: C): Promise<AnyAnswerOf<C>> {
    const { context, commands } = this;
    const dueAt = commands.dueAt();
    for (let round = 1; ; round += 1) {
      const { answer } = await commands.submit(key, command, dueAt);
      if (round > ROUNDS_MAX || !this.mayHaveExpired(key)) return answer;
      const leftMs = Math.min(dueAt - context.monotonic(), EXPIRE_BEFORE_READ_MAX_MS);
      const isEnded = await commands.expireInTime(key, leftMs).then(
        () => true,
        () => false,
      );
      if (!isEnded) return answer;
    }
  }

  /** Compares the record as just read with the latest possible instant of the backend's clock. */
  private mayHaveExpired(key: RecordKey): boolean {
    const record = this.context.cache.get(recordId(key))?.record;
    if (!record || !('holds' in record) || record.holds.length === 0) return false;
    const latest = this.context.storeClock.atMost();
    return latest === null || record.holds.some(({ expiresAt }) => expiresAt <= latest);
  }
}
