import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceActor } from '../../../auth/actor';
import type { Runtime } from '../../../operations/operation-context';
import { recognisedKey } from '../../rpc/service/service-context';
import type { ServiceWork } from '../scheduling/call-class';
import type { RequestScheduler, ScheduledTurn } from '../scheduling/request-scheduler';

/** A call of the service API whose turn has come. */
export interface Admission {
  /** To be ended with the call. */
  turn: ScheduledTurn;
  /** The caller, if it was identified on arrival and the key is still known to be valid. */
  actor: ServiceActor | null;
}

/**
 * Callers with unknown keys share one queue: otherwise each invented key would get its own share.
 */
const UNKNOWN_CALLERS = 'unknown keys';

/** Longer bodies count as several calls. */
const BYTES_PER_UNIT = 4_096;

/**
 * How much work a request is, in plain calls.
 * @param bytes of its body
 */
export function unitsOf(calls: number, bytes: number): number {
  return Math.max(calls, Math.ceil(bytes / BYTES_PER_UNIT));
}

/**
 * If a call waited longer than this, its key is checked again: it may have been revoked meanwhile.
 */
const RECHECK_AFTER_MS = 100;

/** Gives the calls of the service API their turns. */
export class AdmissionControl {
  /** @param known connections on which a valid key was sent; this class adds to them */
  constructor(
    private readonly runtime: Runtime,
    private readonly scheduler: RequestScheduler,
    private readonly known: Pick<WeakSet<Socket>, 'add'>,
  ) {}

  /**
   * Runs a call when its turn has come.
   *
   * @param bytes of the body
   */
  admit(
    req: IncomingMessage,
    { callClass, calls }: ServiceWork,
    bytes: number,
    run: (admission: Admission) => void,
  ): void {
    const key = recognisedKey(this.runtime, req.headers.authorization);
    if (key) this.known.add(req.socket);
    const caller = key?.keyId ?? UNKNOWN_CALLERS;
    this.scheduler.submit(callClass, caller, unitsOf(calls, bytes), (turn) =>
      run({ turn, actor: turn.delayMs < RECHECK_AFTER_MS && key ? key.actor : null }),
    );
  }
}
