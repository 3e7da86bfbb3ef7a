import type { BackendHealth } from '../contract/console/lock-row';
import { LockyardError } from '../contract/errors';
import type { AcquireCommand, LockCommand } from '../core/lock/lock-command';
import type { HomeOf } from '../core/rendezvous-hash';
import type { RequestIdentity } from '../core/request-fingerprint';
import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { LockEngine, LockSets, WaitOptions } from './lock-engine';

export interface ShardedEngineParts {
  backend: string;
  /** By name, in the order of `homeOf`. */
  shards: { name: string; engine: LockEngine }[];
  homeOf: HomeOf;
  /** Why no caller is served at present; null while all are. */
  refusal: () => string | null;
}

/**
 * One backend over several shards, each with its own engine: batcher, clock and timeouts. A stopped
 * shard does not delay callers that ask for a lock of another.
 *
 * Errors beyond those of `LockEngine`: `UNSUPPORTED` for a multi-lock whose locks are on more than
 * one shard, before anything is done; `BACKEND_DOWN` while another list of shards is in force.
 */
export class ShardedEngine implements LockEngine {
  readonly backend: string;
  readonly sets: LockSets;

  constructor(private readonly parts: ShardedEngineParts) {
    this.backend = parts.backend;
    this.sets = {
      acquire: async (namespace, ask, wait) => {
        const names = ask.locks.map(({ name }) => name);
        return this.homeOfSet(namespace, names).sets.acquire(namespace, ask, wait);
      },
      cancel: async (namespace, command) =>
        this.homeOfSet(namespace, command.names).sets.cancel(namespace, command),
    };
  }

  async acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions) {
    return this.home(key).acquire(key, ask, wait);
  }

  async run<C extends Exclude<LockCommand, AcquireCommand>>(key: RecordKey, command: C) {
    return this.home(key).run(key, command);
  }

  async count<C extends Parameters<LockEngine['count']>[1]>(
    { namespace, name }: RecordKey,
    command: C,
  ) {
    const key: RecordKey = { namespace, name, kind: 'counter' };
    return this.home(key).count(key, command);
  }

  lastSeen(key: RecordKey, rev: number) {
    return this.engineAt(this.parts.homeOf(recordId(key))).lastSeen(key, rev);
  }

  /**
   * A request does not tell where its lock lives: every shard is asked, and none may be left out.
   */
  async recall(request: RequestIdentity): Promise<unknown> {
    const { shards } = this.parts;
    const answers = await Promise.all(shards.map(({ engine }) => engine.recall(request)));
    return answers.find((answer) => answer !== null) ?? null;
  }

  clockAtLeast(key: RecordKey): number | null {
    return this.home(key).clockAtLeast(key);
  }

  /** Of all shards together: as slow as the slowest, and away where one of them is. */
  health(): BackendHealth {
    const { backend, shards, refusal } = this.parts;
    const healths = shards.map(({ name, engine }) => ({ ...engine.health(), name }));
    const latencies = healths.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
    const offsets = healths.map(({ clockOffsetMs }) => clockOffsetMs);
    const why = refusal();
    return {
      id: backend,
      kind: 'mysql',
      reachable: why === null && healths.every(({ reachable }) => reachable),
      latencyMs: latencies.length === 0 ? null : Math.max(...latencies),
      silentForMs: Math.max(...healths.map(({ silentForMs }) => silentForMs)),
      clockOffsetMs: offsets.reduce((most, ms) => (Math.abs(ms) > Math.abs(most) ? ms : most), 0),
      refusal: why,
      shards: healths,
    };
  }

  async drain(): Promise<void> {
    await Promise.all(this.parts.shards.map(({ engine }) => engine.drain()));
  }

  async close(): Promise<void> {
    await Promise.all(this.parts.shards.map(({ engine }) => engine.close()));
  }

  private home(key: RecordKey): LockEngine {
    return this.served(this.parts.homeOf(recordId(key)));
  }

  private homeOfSet(namespace: string, names: readonly string[]): LockEngine {
    const homes = new Set(names.map((name) => this.parts.homeOf(recordId({ namespace, name }))));
    const [home = 0] = homes;
    if (homes.size === 1) return this.served(home);
    throw new LockyardError(
      'UNSUPPORTED',
      `These locks lie on different shards of the backend "${this.backend}": they cannot be taken together. Take them one after another, always in the same order, or keep them in a namespace on a backend without shards. Nothing was changed.`,
    );
  }

  private served(shard: number): LockEngine {
    const refusal = this.parts.refusal();
    if (refusal === null) return this.engineAt(shard);
    throw new LockyardError('BACKEND_DOWN', `${refusal} Nothing was changed.`, {
      retryAfterMs: 5_000,
    });
  }

  private engineAt(shard: number): LockEngine {
    const found = this.parts.shards[shard];
    if (!found) throw new Error('There is no such shard.');
    return found.engine;
  }
}
