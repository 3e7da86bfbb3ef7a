import type { RequestIdentity } from '../../core/request-fingerprint';
import type { LockEngine } from '../../engine/lock-engine';
import { backendDown } from '../../engine/refusals';
import { requestIdentity } from '../../engine/request-identity';
import type { RecordKey } from '../../storage/record-store';
import type { AuditActor, AuditedAct } from './audit-log';

/** What operators do to locks. */
type LockAct = 'forceRelease' | 'extend' | 'askRelease' | 'stopRenewals' | 'freeze' | 'unfreeze';

/** An act as the audit log records it. */
export interface RecordedAct extends Pick<AuditedAct, 'seen' | 'reason'> {
  intent: string;
  who: AuditActor;
}

/** An act that is about to start. */
export interface StartedAct extends RecordedAct {
  /**
   * For how long it may still be done, in milliseconds: later, others take it that it never will
   * be.
   */
  leftMs(): number;
}

type ActVerb = LockAct | `counter.${'create' | 'adjust' | 'setBounds'}`;

/**
 * What a command carries that does this act: its identity, and the latest instant of the backend's
 * clock at which it may land. That is counted from what surely had passed on that clock, so a
 * process that is stopped here can do nothing later.
 *
 * @throws LockyardError `BACKEND_DOWN` where nothing is known of that clock
 */
export function operatorRequest(
  engine: Pick<LockEngine, 'clockAtLeast'>,
  verb: ActVerb,
  key: RecordKey,
  act: StartedAct,
): { request: RequestIdentity; latestAt: number } {
  const now = engine.clockAtLeast(verb.startsWith('counter.') ? { ...key, kind: 'counter' } : key);
  if (now === null) throw backendDown(null);
  // After the clock: a process that is stopped in between has less time left for it.
  return {
    request: operatorRequestIdentity(verb, key, act),
    latestAt: Math.floor(now + act.leftMs()),
  };
}

/**
 * The identity of an operator's act, made from its audit entry alone, so that its outcome can be
 * asked for later. Where its caller gave it a request id, it is the same act whenever it comes with
 * that id; else every entry is an act of its own.
 */
export function operatorRequestIdentity(
  verb: ActVerb,
  key: RecordKey,
  { intent, who, seen = {}, reason }: RecordedAct,
): RequestIdentity {
  // A service's name has no space: no service can ever make the same identity.
  const service = 'the console';
  // The rev that was seen decides nothing, and moves on between two tries.
  const { requestId, rev: _, ...asked } = seen;
  if (typeof requestId !== 'string') {
    return requestIdentity({ service, verb, ...key, requestId: intent, input: {} });
  }
  const caller = `${service} of ${who.kind} ${who.name}`;
  return requestIdentity({ service: caller, verb, ...key, requestId, input: { ...asked, reason } });
}
