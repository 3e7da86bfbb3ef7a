import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceActor } from '../../../auth/actor';
import type { Runtime } from '../../../operations/operation-context';
import { recognisedKey } from '../../rpc/service/service-context';
import { callsIn, serviceClass } from '../scheduling/call-class';
import type { RequestScheduler, ScheduledTurn } from '../scheduling/request-scheduler';

/** A call of the service API whose turn has come. */
export interface Admission {
  /** To be ended with the call. */
  turn: ScheduledTurn;
  /** The caller, if it was identified on arrival and the key is still known to be valid. */
  actor: ServiceActor | null;
}

/**
 * Runs a call when its turn has come.
 *
 * @param path one procedure, or several with commas between them
 * @param bytes of the body
 */
export type Admit = (
  req: IncomingMessage,
  path: string,
  bytes: number,
  run: (admission: Admission) => void,
) => void;

/**
 * Callers with recently unknown keys share one queue: otherwise each invented key would get a share
 * of its own.
 */
const UNKNOWN_CALLERS = 'strangers';

/** Longer bodies count as several calls. */
const BYTES_PER_UNIT = 4_096;

/**
 * A key may have been revoked while its call waited for longer than this: then it is checked again.
 */
const RECHECK_AFTER_MS = 100;

/** @param known connections on which a valid key was sent: those of this one are added */
export function createAdmission(
  runtime: Runtime,
  scheduler: RequestScheduler,
  known: Pick<WeakSet<Socket>, 'add'>,
): Admit {
  return (req, path, bytes, run) => {
    const key = recognisedKey(runtime, req.headers.authorization);
    if (key) known.add(req.socket);
    const units = Math.max(callsIn(path), Math.ceil(bytes / BYTES_PER_UNIT));
    scheduler.submit(serviceClass(path), key?.keyId ?? UNKNOWN_CALLERS, units, (turn) =>
      run({ turn, actor: turn.delayMs < RECHECK_AFTER_MS && key ? key.actor : null }),
    );
  };
}
