import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { CommandIntake } from './command-queue';
import type { KnownRecords } from './commit/record-cache';
import type { AnyCommand } from './record-type';
import type { BackendClock } from './store-clock';

export interface LookParts {
  intake: CommandIntake;
  known: KnownRecords;
  backendClock: BackendClock;
  monotonic: () => number;
}

/**
 * A look waits no longer for the write that should come before it: it must answer where its backend
 * takes no writes.
 */
const SETTLE_MAX_MS = 1_000;

/** Leases that lapse one after another while they are looked at. */
const ROUNDS_MAX = 3;

/**
 * Reads records so that a lease reported as expired stays expired, for every process and even if
 * the backend's clock is set back: the end of an expired lease is written to the record before any
 * caller is answered. If that write is not possible now, the answer is true of this moment only,
 * and may become untrue if the clock is set back.
 */
export class SettledLooks {
  constructor(private readonly parts: LookParts) {}

  async look(key: RecordKey, command: AnyCommand): Promise<unknown> {
    const { intake, monotonic } = this.parts;
    const dueAt = intake.dueAt();
    for (let round = 1; ; round += 1) {
      const { answer } = await intake.submit(key, command, dueAt);
      if (round > ROUNDS_MAX || !this.mayHaveLapsed(key)) return answer;
      const settled = await intake
        .submit(key, { verb: 'settle' }, Math.min(dueAt, monotonic() + SETTLE_MAX_MS))
        .catch(() => null);
      if (!settled) return answer;
    }
  }

  /** By the record as it was just read, and the latest that the backend's clock can have shown. */
  private mayHaveLapsed(key: RecordKey): boolean {
    const record = this.parts.known.get(recordId(key))?.record;
    if (!record || !('holds' in record) || record.holds.length === 0) return false;
    const latest = this.parts.backendClock.atMost();
    return latest === null || record.holds.some(({ expiresAt }) => expiresAt <= latest);
  }
}
