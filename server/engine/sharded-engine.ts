import type { BackendHealth } from '../contract/console/backend-health';
import { LockyardError } from '../contract/errors';
import type { CounterCommand } from '../core/counter/counter-command';
import type { AcquireCommand, LockCommand } from '../core/lock/lock-command';
import type { ShardOf } from '../core/rendezvous-hash';
import type { RequestIdentity } from '../core/request-fingerprint';
import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { LockEngine, MultiLocks, WaitOptions } from './lock-engine';

export interface ShardedEngineOptions {
  backend: string;
  /** In the order of the indices that `homeOf` returns. */
  shards: { name: string; engine: LockEngine }[];
  homeOf: ShardOf;
  /** Why no caller is served at present; null: all are. */
  refusal: () => string | null;
}

/**
 * One backend over several shards, each with its own engine: batcher, clock and timeouts. A stopped
 * shard does not delay callers of locks on another.
 *
 * Errors beyond those of `LockEngine`: `UNSUPPORTED` for a multi-lock whose locks are on more than
 * one shard, before anything is changed; `BACKEND_DOWN` while another list of shards is in force.
 */
export class ShardedEngine implements LockEngine {
  readonly backend: string;
  readonly multiLocks: MultiLocks;

  constructor(private readonly options: ShardedEngineOptions) {
    this.backend = options.backend;
    this.multiLocks = {
      acquire: async (namespace, ask, wait) => {
        const names = ask.locks.map(({ name }) => name);
        return this.engineOfMultiLock(namespace, names).multiLocks.acquire(namespace, ask, wait);
      },
      answerCancelled: async (namespace, ask) => {
        const names = ask.locks.map(({ name }) => name);
        return this.engineOfMultiLock(namespace, names).multiLocks.answerCancelled(namespace, ask);
      },
      cancel: async (namespace, command) =>
        this.engineOfMultiLock(namespace, command.names).multiLocks.cancel(namespace, command),
    };
  }

  async acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions) {
    return this.engineOf(key).acquire(key, ask, wait);
  }

  async run<C extends Exclude<LockCommand, AcquireCommand>>(key: RecordKey, command: C) {
    return this.engineOf(key).run(key, command);
  }

  async count<C extends CounterCommand>({ namespace, name }: RecordKey, command: C) {
    const key: RecordKey = { namespace, name, kind: 'counter' };
    return this.engineOf(key).count(key, command);
  }

  cachedLock(key: RecordKey, rev: number) {
    return this.engineAt(this.options.homeOf(recordId(key))).cachedLock(key, rev);
  }

  /** Asks every shard, since the shard of the request's lock is not known. All must respond. */
  async rememberedAnswer(request: RequestIdentity, keptUntil?: number): Promise<unknown> {
    const { shards } = this.options;
    const answers = await Promise.all(
      shards.map(({ engine }) => engine.rememberedAnswer(request, keptUntil)),
    );
    return answers.find((answer) => answer !== null) ?? null;
  }

  clockAtLeast(key: RecordKey): number | null {
    return this.engineOf(key).clockAtLeast(key);
  }

  /** The health of all shards together: as slow as the slowest, unreachable if one of them is. */
  health(): BackendHealth {
    const { backend, shards, refusal } = this.options;
    const healths = shards.map(({ name, engine }) => ({ ...engine.health(), name }));
    const latencies = healths.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
    const offsets = healths.map(({ clockOffsetMs }) => clockOffsetMs);
    const reason = refusal();
    return {
      id: backend,
      kind: 'mysql',
      reachable: reason === null && healths.every(({ reachable }) => reachable),
      latencyMs: latencies.length === 0 ? null : Math.max(...latencies),
      silentForMs: Math.max(...healths.map(({ silentForMs }) => silentForMs)),
      clockOffsetMs: offsets.reduce((most, ms) => (Math.abs(ms) > Math.abs(most) ? ms : most), 0),
      refusal: reason,
      shards: healths,
    };
  }

  async drain(): Promise<void> {
    await Promise.all(this.options.shards.map(({ engine }) => engine.drain()));
  }

  async close(): Promise<void> {
    await Promise.all(this.options.shards.map(({ engine }) => engine.close()));
  }

  private engineOf(key: RecordKey): LockEngine {
    return this.servedEngine(this.options.homeOf(recordId(key)));
  }

  private engineOfMultiLock(namespace: string, names: readonly string[]): LockEngine {
    const shards = new Set(names.map((name) => this.options.homeOf(recordId({ namespace, name }))));
    const [home = 0] = shards;
    if (shards.size === 1) return this.servedEngine(home);
    throw new LockyardError(
      'UNSUPPORTED',
      `These locks are on different shards of the backend "${this.backend}", so they cannot be ` +
        'acquired together. Acquire them one after another, always in the same order, or use a ' +
        'namespace on a backend without shards. Nothing was changed.',
    );
  }

  private servedEngine(shard: number): LockEngine {
    const refusal = this.options.refusal();
    if (refusal === null) return this.engineAt(shard);
    throw new LockyardError('BACKEND_DOWN', `${refusal} Nothing was changed.`, {
      retryAfterMs: 5_000,
    });
  }

  private engineAt(shard: number): LockEngine {
    const found = this.options.shards[shard];
    if (!found) throw new Error('There is no such shard.');
    return found.engine;
  }
}
