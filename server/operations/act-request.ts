import type { RecordKey } from '../backends/record-store';
import type { RequestIdentity } from '../domain/request-tag';
import { requestIdentity } from '../engine/request-identity';
import type { AuditActor, AuditedAct } from './audit-log';

/** What operators do to locks. */
type LockAct = 'forceRelease' | 'extend' | 'askRelease' | 'stopRenewals' | 'freeze' | 'unfreeze';

/** An act as it stands in the audit log. */
export interface WrittenAct extends Pick<AuditedAct, 'seen' | 'reason'> {
  intent: string;
  who: AuditActor;
}

/**
 * The identity of an operator's act, made from its audit entry alone, so that its outcome can be asked for later. Where its
 * caller gave it a request id, it is the same act whenever it comes with that id; else every entry is an act of its own.
 */
export function actRequest(
  verb: LockAct | `counter.${'create' | 'adjust' | 'setBounds'}`,
  key: RecordKey,
  { intent, who, seen = {}, reason }: WrittenAct,
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
