import { LockyardError, type Reason } from '../../contract/errors';
import type { RecordKey } from '../../storage/record-store';
import {
  type AcquireOptions,
  acquire,
  type EngineOwner,
  pause,
  release,
  renew,
} from './engine-rig';
import type { RecordedCall } from './history-checker';

/**
 * The refusals that a caller may get, whatever the store does. Any other error fails the campaign.
 */
const TYPED: ReadonlySet<Reason> = new Set(['BACKEND_DOWN', 'UNKNOWN', 'CONTENDED']);

const SUCCEEDED: ReadonlySet<string> = new Set(['granted', 'renewed', 'released', 'decremented']);

export interface CallerOptions {
  member: EngineOwner;
  owner: string;
  /** The locks that it takes. */
  keys: RecordKey[];
  /** Numbers from 0 to 1. */
  random: () => number;
  /** Receives every call when it begins, and the same object again when it is answered. */
  note: (call: RecordedCall) => void;
}

/** One caller that acquires, keeps, loses and releases locks at random. */
export class RandomCaller {
  private requests = 0;

  constructor(private readonly options: CallerOptions) {}

  async live(continues: () => boolean): Promise<void> {
    const { keys, random } = this.options;
    while (continues()) {
      const key = keys[Math.floor(random() * keys.length)] as RecordKey;
      const leaseMs = 150 + Math.floor(random() * 600);
      const token = await this.acquire(key, leaseMs);
      if (token === null) await pause(random() * 40);
      else await this.keep(key, token, leaseMs);
    }
  }

  /**
   * Keeps the lock for a while, sometimes renews it or lets its lease expire, and releases it once,
   * twice or not at all.
   */
  private async keep(key: RecordKey, token: number, leaseMs: number): Promise<void> {
    const { member, owner, random } = this.options;
    while (random() < 0.3) {
      await pause(random() * leaseMs * 0.5);
      await this.record({ verb: 'renew', lock: key.name, token, leaseMs }, () =>
        renew(member, key, owner, token, leaseMs),
      );
    }
    await pause(random() < 0.05 ? leaseMs * 1.2 : random() * 20);
    if (random() < 0.05) return;
    const giveBack = () =>
      this.record({ verb: 'release', lock: key.name, token, leaseMs: 0 }, () =>
        release(member, key, owner, token),
      );
    await giveBack();
    if (random() < 0.1) await giveBack();
  }

  private async acquire(key: RecordKey, leaseMs: number): Promise<number | null> {
    const { member, owner, random } = this.options;
    const waitMs = random() < 0.5 ? 0 : Math.floor(random() * 1_500);
    const ask: AcquireOptions = { leaseMs, waitMs };
    if (random() < 0.5) {
      this.requests += 1;
      ask.requestId = `${owner} ${this.requests}`;
    }
    const requestId = ask.requestId && `${key.name} ${ask.requestId}`;
    const asked = () =>
      this.record(
        {
          verb: 'acquire',
          lock: key.name,
          token: null,
          leaseMs,
          waitMs,
          ...(requestId === undefined ? {} : { requestId }),
        },
        () => acquire(member, key, owner, ask),
      );
    const token = await asked();
    return token === null && ask.requestId !== undefined && random() < 0.5 ? asked() : token;
  }

  private async record(
    known: Omit<RecordedCall, 'startedAt' | 'endedAt' | 'outcome'>,
    work: () => Promise<{ outcome: string; token?: number }>,
  ): Promise<number | null> {
    const call: RecordedCall = {
      ...known,
      startedAt: performance.now(),
      endedAt: null,
      outcome: 'unknown',
    };
    const { note } = this.options;
    note(call);
    try {
      const answer = await work();
      const isOk = SUCCEEDED.has(answer.outcome);
      call.outcome = isOk ? 'ok' : 'refused';
      if (call.verb === 'acquire') call.token = isOk ? (answer.token ?? null) : null;
    } catch (error) {
      if (!(error instanceof LockyardError && TYPED.has(error.reason))) throw error;
      call.outcome = error.reason === 'UNKNOWN' ? 'unknown' : 'refused';
    }
    call.endedAt = performance.now();
    note(call);
    return call.outcome === 'ok' ? call.token : null;
  }
}
