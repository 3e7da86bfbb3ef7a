import { type ClientSettings, clientSettings, type LockyardClientOptions } from './client-settings';
import { LockyardError } from './errors';
import { notify } from './observing/lock-observer';
import { type CallOptions, type Procedure, sendRequest } from './wire/send-request';
import { ANSWER_WITHIN_MS, HELD_OPEN_MS } from './wire/time-limits';
import type {
  AcquireAnswer,
  AcquireInput,
  AcquireManyAnswer,
  AcquireManyInput,
  CancelAnswer,
  CancelInput,
  CancelManyInput,
  CheckAnswer,
  CheckInput,
  CounterAddAnswer,
  CounterAddInput,
  CounterCreateAnswer,
  CounterCreateInput,
  CounterGetAnswer,
  CounterRef,
  InspectAnswer,
  ListAnswer,
  ListInput,
  LockRef,
  ReleaseAnswer,
  ReleaseInput,
  RenewAnswer,
  RenewInput,
  WatchAnswer,
  WatchInput,
} from './wire/wire';

/** An input whose owner may be left to the client. */
export type Owned<I extends { owner: string }> = Omit<I, 'owner'> & { owner?: string | undefined };

/**
 * The service API, typed: one method is one request, and nothing is sent twice. Expected outcomes
 * are values with `outcome`; everything else is thrown as `LockyardError`. `withLock` adds waiting,
 * renewing, retrying and releasing.
 */
export class LockyardClient {
  readonly settings: ClientSettings;

  /** Throws `LockyardError` `INVALID` when neither options nor environment give address and key. */
  constructor(options: LockyardClientOptions = {}) {
    this.settings = clientSettings(options);
  }

  /** Takes the lock, or waits for it up to 25 s. Adds `host`, `pid` and `version` to `meta`. */
  acquire(input: Owned<AcquireInput>, options: CallOptions = {}): Promise<AcquireAnswer> {
    const waitMs = Math.min(input.waitMs ?? 0, HELD_OPEN_MS);
    const meta = { ...this.settings.meta, ...input.meta };
    const timeoutMs = options.timeoutMs ?? waitMs + ANSWER_WITHIN_MS;
    return this.send(ACQUIRE, { ...this.owned(input), meta }, { ...options, timeoutMs });
  }

  /** Takes all of several locks, or none; waits up to 25 s. Adds to `meta` as `acquire` does. */
  acquireMany(
    input: Owned<AcquireManyInput>,
    options: CallOptions = {},
  ): Promise<AcquireManyAnswer> {
    const waitMs = Math.min(input.waitMs ?? 0, HELD_OPEN_MS);
    const meta = { ...this.settings.meta, ...input.meta };
    const timeoutMs = options.timeoutMs ?? waitMs + ANSWER_WITHIN_MS;
    return this.send(ACQUIRE_MANY, { ...this.owned(input), meta }, { ...options, timeoutMs });
  }

  /** Undoes an `acquireMany`: leaves the queue, or releases what was granted. Safe to repeat. */
  cancelMany(input: Owned<CancelManyInput>, options?: CallOptions): Promise<CancelAnswer> {
    return this.send(CANCEL_MANY, this.owned(input), options);
  }

  /** Undoes an acquire: leaves the queue, or gives back what was granted. Safe to repeat. */
  cancel(input: Owned<CancelInput>, options?: CallOptions): Promise<CancelAnswer> {
    return this.send(CANCEL, this.owned(input), options);
  }

  /** Restarts the lease of a live hold; never shortens or revives one. Safe to repeat. */
  renew(input: Owned<RenewInput>, options?: CallOptions): Promise<RenewAnswer> {
    return this.send(RENEW, this.owned(input), options);
  }

  /** Ends a hold, or takes one entry off it. With a `requestId` it is safe to repeat. */
  release(input: Owned<ReleaseInput>, options?: CallOptions): Promise<ReleaseAnswer> {
    return this.send(RELEASE, this.owned(input), options);
  }

  /** Who has the lock and who waits, as of now; already old when it arrives. */
  inspect(input: LockRef, options?: CallOptions): Promise<InspectAnswer> {
    return this.send(INSPECT, this.placed(input), options);
  }

  /** One page of the locks of a namespace, as the server read them a moment ago. */
  list(input: ListInput = {}, options?: CallOptions): Promise<ListAnswer> {
    return this.send(LIST, this.placed(input), options);
  }

  /** What changed of some locks after `since`; waits up to 25 s. `watchLocks` asks for ever. */
  watch(input: WatchInput, options: CallOptions = {}): Promise<WatchAnswer> {
    const waitMs = Math.min(input.waitMs ?? HELD_OPEN_MS, HELD_OPEN_MS);
    const timeoutMs = options.timeoutMs ?? waitMs + ANSWER_WITHIN_MS;
    return this.send(WATCH, this.placed(input), { ...options, timeoutMs });
  }

  /** Whether that hold is live: for a resource that guards its writes. */
  check(input: CheckInput, options?: CallOptions): Promise<CheckAnswer> {
    return this.send(CHECK, this.placed(input), options);
  }

  /** Creates a counter; if it exists, answers its current value. Safe to repeat. */
  createCounter(input: CounterCreateInput, options?: CallOptions): Promise<CounterCreateAnswer> {
    return this.send(CREATE_COUNTER, this.placed(input), options);
  }

  /**
   * Adds to a counter, whole or not at all. With a `requestId` it is safe to repeat; without one a
   * lost reply leaves unknown whether it was added. Rejects with `NOT_FOUND` for a counter that was
   * never created.
   */
  addToCounter(input: CounterAddInput, options?: CallOptions): Promise<CounterAddAnswer> {
    return this.send(ADD_TO_COUNTER, this.placed(input), options);
  }

  /** A counter's current value; already old when it arrives. Rejects with `NOT_FOUND` as above. */
  getCounter(input: CounterRef, options?: CallOptions): Promise<CounterGetAnswer> {
    return this.send(GET_COUNTER, this.placed(input), options);
  }

  private owned<I extends { namespace?: string | undefined; owner?: string | undefined }>(
    input: I,
  ) {
    return { ...this.placed(input), owner: input.owner ?? this.settings.owner };
  }

  private placed<I extends { namespace?: string | undefined }>(input: I) {
    return { ...input, namespace: input.namespace ?? this.settings.namespace };
  }

  private async send<A>(
    procedure: Procedure,
    input: object,
    options: CallOptions = {},
  ): Promise<A> {
    const timeoutMs = options.timeoutMs ?? ANSWER_WITHIN_MS;
    const { clock, observer } = this.settings;
    const sentAt = clock.monotonic();
    try {
      return await sendRequest<A>(this.settings, procedure, input, { ...options, timeoutMs });
    } catch (error) {
      if (error instanceof LockyardError) {
        const latencyMs = clock.monotonic() - sentAt;
        const { reason } = error;
        notify(observer, 'requestFailed', { procedure: procedure.name, reason, latencyMs });
      }
      throw error;
    }
  }
}

const ACQUIRE: Procedure = { name: 'lock.acquire', kind: 'mutation' };
const ACQUIRE_MANY: Procedure = { name: 'lock.acquireMany', kind: 'mutation' };
const CANCEL_MANY: Procedure = { name: 'lock.cancelMany', kind: 'mutation' };
const CANCEL: Procedure = { name: 'lock.cancel', kind: 'mutation' };
const RENEW: Procedure = { name: 'lock.renew', kind: 'mutation' };
const RELEASE: Procedure = { name: 'lock.release', kind: 'mutation' };
const INSPECT: Procedure = { name: 'lock.inspect', kind: 'query' };
const LIST: Procedure = { name: 'lock.list', kind: 'query' };
const WATCH: Procedure = { name: 'lock.watch', kind: 'mutation' };
const CHECK: Procedure = { name: 'lock.check', kind: 'query' };
const CREATE_COUNTER: Procedure = { name: 'counter.create', kind: 'mutation' };
const ADD_TO_COUNTER: Procedure = { name: 'counter.add', kind: 'mutation' };
const GET_COUNTER: Procedure = { name: 'counter.get', kind: 'query' };

let sharedClient: LockyardClient | undefined;

/** One client for the process, made from the environment when it is first needed. */
export function environmentClient(): LockyardClient {
  sharedClient ??= new LockyardClient();
  return sharedClient;
}
