import {
  type ClientSettings,
  clientSettings,
  type LockyardClientOptions,
  replaceKey,
} from './client-settings';
import { LockyardError } from './errors';
import { notify } from './observing/lock-observer';
import { activeTraceparent } from './observing/trace-context';
import { type OptionNames, refuseUnknownOptions } from './options/refuse-unknown-options';
import { metaWith } from './platform/process-meta';
import { PROCEDURES, type Procedure, SET_LOCK_FIELDS } from './wire/procedures';
import { type CallOptions, sendRequest } from './wire/send-request';
import { ANSWER_WITHIN_MS, AT_ONCE_MS, HELD_OPEN_MS } from './wire/time-limits';
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
  WitnessReportAnswer,
  WitnessReportInput,
} from './wire/wire';

/** An input whose `owner` is optional: by default it is the client's. */
export type Owned<I extends { owner: string }> = Omit<I, 'owner'> & { owner?: string | undefined };

/**
 * The service API, typed. Each method sends one request, once; only if no connection can be made to
 * one of several addresses, a request that was not sent, or is safe to repeat, goes to the next.
 * Expected outcomes are values with `outcome`; everything else is thrown as `LockyardError`.
 * `withLock` adds waiting, renewing, retrying and releasing.
 */
export class LockyardClient {
  readonly settings: ClientSettings;

  /**
   * Throws `LockyardError` `INVALID` if the address or the key is missing or invalid, or an option
   * is unknown.
   */
  constructor(options: LockyardClientOptions = {}) {
    this.settings = clientSettings(options);
  }

  /**
   * Acquires a lock; waits for up to 25 s, then answers `queued`. Adds `host`, `pid`, `version` and
   * more to `meta`.
   */
  acquire(input: Owned<AcquireInput>, options: CallOptions = {}): Promise<AcquireAnswer> {
    const meta = metaWith(this.settings.meta, input.meta);
    const callOptions = waitingOptions(options, input.waitMs);
    return this.send(PROCEDURES.acquire, { ...this.withOwner(input), meta }, callOptions);
  }

  /** Acquires several locks, all or none. Waits, and adds to `meta`, as `acquire` does. */
  async acquireMany(
    input: Owned<AcquireManyInput>,
    options: CallOptions = {},
  ): Promise<AcquireManyAnswer> {
    for (const lock of Array.isArray(input.locks) ? input.locks : []) {
      refuseUnknownOptions('A lock of acquireMany', lock, SET_LOCK_FIELDS);
    }
    const meta = metaWith(this.settings.meta, input.meta);
    const callOptions = waitingOptions(options, input.waitMs);
    return this.send(PROCEDURES.acquireMany, { ...this.withOwner(input), meta }, callOptions);
  }

  /** Reports which processes of a machine are alive. Needs a key created for a witness. */
  reportProcesses(input: WitnessReportInput, options?: CallOptions): Promise<WitnessReportAnswer> {
    return this.send(PROCEDURES.reportProcesses, input, options);
  }

  /** Undoes an `acquireMany`: leaves the queue, or releases what was granted. Safe to repeat. */
  cancelMany(input: Owned<CancelManyInput>, options?: CallOptions): Promise<CancelAnswer> {
    return this.send(PROCEDURES.cancelMany, this.withOwner(input), options);
  }

  /** Undoes an acquire: leaves the queue, or releases what was granted. Safe to repeat. */
  cancel(input: Owned<CancelInput>, options?: CallOptions): Promise<CancelAnswer> {
    return this.send(PROCEDURES.cancel, this.withOwner(input), options);
  }

  /** Restarts the lease of a live hold; never shortens or revives one. Safe to repeat. */
  renew(input: Owned<RenewInput>, options?: CallOptions): Promise<RenewAnswer> {
    return this.send(PROCEDURES.renew, this.withOwner(input), options);
  }

  /**
   * Ends a hold; if the owner entered more than once, releases one entry. With a `requestId` it is
   * safe to repeat.
   */
  release(input: Owned<ReleaseInput>, options?: CallOptions): Promise<ReleaseAnswer> {
    return this.send(PROCEDURES.release, this.withOwner(input), options);
  }

  /** The holders and waiters of a lock, read now; may be out of date when the answer arrives. */
  inspect(input: LockRef, options?: CallOptions): Promise<InspectAnswer> {
    return this.send(PROCEDURES.inspect, this.inNamespace(input), options);
  }

  /** One page of the locks of a namespace, as the server read them a moment ago. */
  list(input: ListInput = {}, options?: CallOptions): Promise<ListAnswer> {
    return this.send(PROCEDURES.list, this.inNamespace(input), options);
  }

  /**
   * The changes of some locks after `since`; waits up to 25 s for one. `watchLocks` repeats this.
   */
  watch(input: WatchInput, options: CallOptions = {}): Promise<WatchAnswer> {
    const waitMs = Math.min(input.waitMs ?? HELD_OPEN_MS, HELD_OPEN_MS);
    const timeoutMs = options.timeoutMs ?? waitMs + ANSWER_WITHIN_MS;
    return this.send(PROCEDURES.watch, this.inNamespace(input), { ...options, timeoutMs });
  }

  /** Whether the hold with this token is live: for a resource that guards its writes. */
  check(input: CheckInput, options?: CallOptions): Promise<CheckAnswer> {
    return this.send(PROCEDURES.check, this.inNamespace(input), options);
  }

  /** Creates a counter; if it exists, returns its current value. Safe to repeat. */
  createCounter(input: CounterCreateInput, options?: CallOptions): Promise<CounterCreateAnswer> {
    return this.send(PROCEDURES.createCounter, this.inNamespace(input), options);
  }

  /**
   * Adds `delta` to a counter, entirely or not at all. Safe to repeat with a `requestId`; without
   * one, a lost reply leaves it unknown whether `delta` was added. Rejects with `NOT_FOUND` for a
   * counter that was never created.
   */
  addToCounter(input: CounterAddInput, options?: CallOptions): Promise<CounterAddAnswer> {
    return this.send(PROCEDURES.addToCounter, this.inNamespace(input), options);
  }

  /**
   * A counter's current value; may be out of date when the answer arrives. Rejects with `NOT_FOUND`
   * for a counter that was never created.
   */
  getCounter(input: CounterRef, options?: CallOptions): Promise<CounterGetAnswer> {
    return this.send(PROCEDURES.getCounter, this.inNamespace(input), options);
  }

  private withOwner<I extends { namespace?: string | undefined; owner?: string | undefined }>(
    input: I,
  ) {
    return { ...this.inNamespace(input), owner: input.owner ?? this.settings.owner };
  }

  private inNamespace<I extends { namespace?: string | undefined }>(input: I) {
    return { ...input, namespace: input.namespace ?? this.settings.namespace };
  }

  /**
   * Sends to the address in use. If no connection can be made, and the request was not sent or is
   * safe to repeat, tries the others in turn; the one that answers stays in use.
   */
  private async send<A extends object>(
    procedure: Procedure,
    input: object,
    options: CallOptions = {},
  ): Promise<A> {
    refuseUnknownOptions(procedure.name, input, procedure.fields);
    refuseUnknownOptions(`The second argument of ${procedure.name}`, options, CALL_OPTIONS);
    const { addresses, clock } = this.settings;
    const until = clock.monotonic() + (options.timeoutMs ?? ANSWER_WITHIN_MS);
    const mayRepeat = isRepeatable(procedure, input);
    const failures: LockyardError[] = [];
    for (const address of addresses.inOrder()) {
      try {
        const timeoutMs = until - clock.monotonic();
        return await this.sendTo<A>(address, procedure, input, { ...options, timeoutMs });
      } catch (error) {
        if (!(error instanceof LockyardError && isServerFailure(error))) throw error;
        addresses.leave(address);
        failures.push(error);
        const mayMove = error.isUnreachable && (mayRepeat || error.reason === 'BACKEND_DOWN');
        if (!mayMove || clock.monotonic() >= until) throw error;
      }
    }
    throw noneReachable(failures);
  }

  private async sendTo<A extends object>(
    address: string,
    procedure: Procedure,
    input: object,
    options: CallOptions & { timeoutMs: number },
  ): Promise<A> {
    const { addresses, clock, observer, silence } = this.settings;
    const sentAt = clock.monotonic();
    try {
      const request = (signal: AbortSignal | undefined) =>
        this.sendWithKey<A>(address, procedure, input, { ...options, signal });
      const answer = await (silence?.during(address, options.signal, request) ??
        request(options.signal));
      const isShuttingDown = isQueued(answer) && clock.monotonic() - sentAt < AT_ONCE_MS;
      if (isShuttingDown) addresses.leave(address);
      return answer;
    } catch (error) {
      if (error instanceof LockyardError) {
        const latencyMs = clock.monotonic() - sentAt;
        const { reason } = error;
        notify(observer, 'requestFailed', {
          procedure: procedure.name,
          url: address,
          reason,
          latencyMs,
        });
      }
      throw error;
    }
  }

  /** A request that is refused for its key is not applied: with another key it is sent again. */
  private async sendWithKey<A extends object>(
    address: string,
    procedure: Procedure,
    input: object,
    options: CallOptions & { timeoutMs: number },
  ): Promise<A> {
    const { settings } = this;
    const { apiKey, clock } = settings;
    const until = clock.monotonic() + options.timeoutMs;
    try {
      return await sendRequest<A>(settings, address, procedure, input, options);
    } catch (error) {
      const isRefused = error instanceof LockyardError && error.reason === 'UNAUTHENTICATED';
      if (!isRefused || !replaceKey(settings, apiKey)) throw error;
    }
    const timeoutMs = until - clock.monotonic();
    return sendRequest<A>(settings, address, procedure, input, { ...options, timeoutMs });
  }
}

const CALL_OPTIONS: OptionNames<CallOptions> = {
  timeoutMs: true,
  connectWithinMs: true,
  signal: true,
  traceparent: true,
};

/** Whether a call is safe to repeat: some are only with a request id. */
function isRepeatable({ fields }: Procedure, input: object): boolean {
  return !('requestId' in fields) || ('requestId' in input && input.requestId !== undefined);
}

/** Whether another server may succeed: this one, or what it needs, is unreachable or replaced. */
function isServerFailure({ reason, isForeign, isTransient }: LockyardError): boolean {
  return reason === 'BACKEND_DOWN' || reason === 'UNKNOWN' || (isForeign && !isTransient);
}

/** The error for a call that failed at every address, from the failures at each. */
function noneReachable(failures: LockyardError[]): LockyardError {
  const [first, ...others] = failures;
  if (first && others.length === 0) return first;
  const isNotApplied = failures.every(({ reason }) => reason === 'BACKEND_DOWN');
  return new LockyardError(
    isNotApplied ? 'BACKEND_DOWN' : 'UNKNOWN',
    `Lockyard cannot be reached at any of ${failures.length} addresses.`,
    { cause: new AggregateError(failures), isUnreachable: true },
  );
}

function isQueued(answer: object): boolean {
  return 'outcome' in answer && answer.outcome === 'queued';
}

/** A call that may wait has a longer timeout, and carries its caller's trace. */
const waitingOptions = (options: CallOptions, waitMs: number | undefined) => ({
  ...options,
  timeoutMs: options.timeoutMs ?? Math.min(waitMs ?? 0, HELD_OPEN_MS) + ANSWER_WITHIN_MS,
  traceparent: options.traceparent ?? activeTraceparent(),
});

let sharedClient: LockyardClient | undefined;

/** One client for the process, made from the environment when it is first needed. */
export function environmentClient(): LockyardClient {
  sharedClient ??= new LockyardClient();
  return sharedClient;
}
