import type { AcquireAnswer, Granted } from '../../contract/lock/answers';
import type { Mode } from '../../contract/primitives';
import type { DecidingPolicy } from '../../core/decision';
import type { AcquireCommand, ReleaseCommand, RenewCommand } from '../../core/lock/lock-command';
import { patientStores } from '../../storage/conformance/contract/contract-stores';
import type {
  Store,
  StoreName,
  StoreUnderTest,
} from '../../storage/conformance/testing/stores-under-test';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { createEngine } from '../create-engine';
import type { EngineOptions } from '../engine-context';
import type { LockEngine, StoreEngine, WaitOptions } from '../lock-engine';
import { newWriter } from '../new-writer';
import { anonymousRequest, requestIdentity } from '../request-identity';
import { FaultyStore } from './faulty-store';

/** Something with the engine of one process. */
export interface EngineOwner {
  engine: LockEngine;
}

/** One process's engine, and the faults between it and its store. */
export interface Member extends EngineOwner {
  engine: StoreEngine;
  faults: FaultyStore;
  process: string;
  /** Moves its monotonic clock forward, so that answers appear to take that much longer. */
  later(ms: number): void;
  /** Stops its monotonic clock, which then only `later` moves. */
  stopClock(): void;
}

const UNBOUNDED: DecidingPolicy = { queueLimit: 1_000, lockDelayMs: 0 };

/** The engines of several processes over one fresh store. */
export class EngineRig {
  private passedMs = 0;
  private aheadMs = 0;
  private readonly members: Member[] = [];
  /** The faults that the engines reported: `namespace/name: error`. */
  readonly faults: string[] = [];

  /** @param policies by namespace; others are practically unlimited */
  constructor(
    readonly under: StoreUnderTest,
    readonly policies = new Map<string, DecidingPolicy>(),
  ) {}

  /** Over a store whose calls may take long: a busy machine may be slow. */
  static async open(name: StoreName): Promise<EngineRig> {
    return new EngineRig(await patientStores[name].open());
  }

  /** Starts another process's engine. */
  async join(): Promise<Member> {
    return this.joinWith(await this.under.another());
  }

  /** The same with a stopped clock: commands have all their time, however slow the machine is. */
  async joinStopped(): Promise<Member> {
    const member = await this.join();
    member.stopClock();
    return member;
  }

  async joinWith(store: Store, process = newProcess()): Promise<Member> {
    const faults = new FaultyStore(store);
    faults.clockSetMs = this.aheadMs;
    const options = this.optionsOver(faults, process);
    const { now, monotonic } = options.clock;
    let laterMs = 0;
    let stoppedAt: number | null = null;
    const clock = { now, monotonic: () => (stoppedAt ?? monotonic()) + laterMs };
    const engine = await createEngine({ ...options, clock });
    const later = (ms: number) => {
      laterMs += ms;
    };
    const stopClock = () => {
      stoppedAt = monotonic();
    };
    const member = { engine, faults, process, later, stopClock };
    this.members.push(member);
    return member;
  }

  /** The options of a process's engine over this store. */
  optionsOver(store: FaultyStore, process = newProcess()): EngineOptions {
    return {
      backend: 'default',
      kind: 'test',
      store,
      epochOf: () => 1,
      clock: {
        now: () => Date.now() + this.passedMs,
        monotonic: () => performance.now() + this.passedMs,
      },
      processId: process,
      newWriter,
      onFault: (key, error) => this.faults.push(`${recordId(key)}: ${innermost(error).message}`),
      policyOf: (namespace) => this.policies.get(namespace) ?? UNBOUNDED,
    };
  }

  /** Moves all clocks forward; only over a store without its own clock. */
  passMs(ms: number): void {
    this.under.passMs(ms);
    this.passedMs += ms;
  }

  /**
   * Moves all clocks forward, over any store: its own clock appears to all processes of this rig to
   * be that much ahead. Only if no other test uses the rig at the same time.
   */
  letPass(ms: number): void {
    this.aheadMs += ms;
    this.passedMs += ms;
    for (const { faults } of this.members) faults.clockSetMs += ms;
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map(({ engine }) => engine.close()));
    await this.under.close();
  }
}

/** The error that an error wraps; itself if it wraps none. */
function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

export const newProcess = () => newWriter().replace(/[-_]/g, 'x');

/** How an acquire differs from the default one: a lease of 10 s, no wait, no request id. */
export interface AcquireOptions {
  service?: string;
  leaseMs?: number;
  waitMs?: number;
  mode?: Mode;
  reentrant?: boolean;
  holdAtLeastMs?: number;
  permits?: number;
  capacity?: number;
  requestId?: string;
}

export const WAIT: WaitOptions = { holdRequestMs: 25_000 };

/** An acquire as a service sends it. */
export function acquireCommand(
  key: RecordKey,
  owner: string,
  parts: AcquireOptions = {},
): AcquireCommand {
  const { service = 'orders', leaseMs = 10_000, waitMs = 0, reentrant = false, requestId } = parts;
  const { mode = 'exclusive', holdAtLeastMs, permits, capacity } = parts;
  const least = holdAtLeastMs === undefined ? {} : { holdAtLeastMs };
  const share = permits === undefined || capacity === undefined ? {} : { permits, capacity };
  const asked = { owner, leaseMs, waitMs, mode, reentrant, meta: {}, ...least, ...share };
  const request =
    requestId === undefined
      ? anonymousRequest()
      : requestIdentity({ service, verb: 'acquire', ...key, requestId, input: asked });
  return { verb: 'acquire', service, ...asked, request };
}

/** Sends one acquire, waiting as its options say. */
export function acquire(
  { engine }: EngineOwner,
  key: RecordKey,
  owner: string,
  parts: AcquireOptions & { wait?: Partial<WaitOptions> } = {},
): Promise<AcquireAnswer> {
  return engine.acquire(key, acquireCommand(key, owner, parts), { ...WAIT, ...parts.wait });
}

/** Acquires a lock; throws unless it is granted. */
export async function takeLock(
  member: EngineOwner,
  key: RecordKey,
  owner: string,
  parts: AcquireOptions = {},
): Promise<Granted> {
  const answer = await acquire(member, key, owner, parts);
  if (answer.outcome !== 'granted') throw new Error(`Expected a grant, got ${answer.outcome}.`);
  return answer;
}

export function releaseCommand(
  key: RecordKey,
  owner: string,
  token: number,
  requestId?: string,
): ReleaseCommand {
  const service = 'orders';
  const input = { owner, token };
  const request =
    requestId === undefined
      ? null
      : requestIdentity({ service, verb: 'release', ...key, requestId, input });
  return { verb: 'release', service, owner, token, request };
}

export const release = ({ engine }: EngineOwner, key: RecordKey, owner: string, token: number) =>
  engine.run(key, releaseCommand(key, owner, token));

const renewCommand = (owner: string, token: number, leaseMs = 10_000): RenewCommand => ({
  verb: 'renew',
  service: 'orders',
  owner,
  token,
  leaseMs,
});

/** Acquires and releases a free lock. Returns the token. */
export async function cycle(member: EngineOwner, key: RecordKey, owner: string): Promise<number> {
  const { token } = await takeLock(member, key, owner);
  await release(member, key, owner, token);
  return token;
}

export const renew = (
  { engine }: EngineOwner,
  key: RecordKey,
  owner: string,
  token: number,
  leaseMs?: number,
) => engine.run(key, renewCommand(owner, token, leaseMs));

/** The kinds of events in a record's history, in the order of their revs. */
export async function eventKinds(store: Store, key: RecordKey): Promise<string[]> {
  const events = [];
  for (let after = 0; ; ) {
    const rows = await store.historyAfter(after, 500);
    if (rows.length === 0) break;
    for (const { id, changes } of rows) {
      after = id;
      for (const change of changes) {
        if (change.key.name === key.name) events.push(...change.events);
      }
    }
  }
  return events.sort((a, b) => a.rev - b.rev).map(({ kind }) => kind);
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
