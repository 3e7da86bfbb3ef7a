import type { Schema } from '@/db/schema';
import type { RequestIdentity } from '../../core/request-fingerprint';
import { requestIdentity } from '../../engine/request-identity';
import type { RecordKey } from '../../storage/record-store';
import type { AuditActor } from './audit-actor';
import { type AuditedAct, readSeen } from './audited-act';

/** Acts on one lock or counter, each with the verb that is part of its stored identity. */
const VERBS = {
  'lock.forceRelease': 'forceRelease',
  'lock.reassign': 'reassign',
  'lock.extend': 'extend',
  'lock.askRelease': 'askRelease',
  'lock.stopRenewals': 'stopRenewals',
  'lock.freeze': 'freeze',
  'lock.unfreeze': 'unfreeze',
  'lock.setCapacity': 'setCapacity',
  'counter.create': 'counter.create',
  'counter.adjust': 'counter.adjust',
  'counter.adjustBy': 'counter.adjustBy',
  'counter.setBounds': 'counter.setBounds',
} as const;
export type RecordActName = keyof typeof VERBS;

export function isRecordAct(act: string): act is RecordActName {
  return Object.hasOwn(VERBS, act);
}

/** An act as the audit log records it. */
interface RecordedAct extends Pick<AuditedAct, 'seen' | 'reason' | 'requestId'> {
  intent: string;
  who: AuditActor;
}

/**
 * The identity of an operator's act, made from its audit entry alone, so that its outcome can be
 * found later. Entries of the same act with the same request id have one identity; without a
 * request id every entry has its own.
 */
export function identityOfAct(
  act: RecordActName,
  key: RecordKey,
  { intent, who, reason, seen, requestId }: RecordedAct,
): RequestIdentity {
  const verb = VERBS[act];
  // A service's name has no space: no service can ever make the same identity.
  const service = 'the console';
  if (requestId === undefined) {
    return requestIdentity({ service, verb, ...key, requestId: intent, input: {} });
  }
  const caller = `${service} of ${who.kind} ${who.name}`;
  // The rev that was seen decides nothing, and changes between two attempts.
  const { rev: _, ...asked } = seen ?? {};
  return requestIdentity({ service: caller, verb, ...key, requestId, input: { ...asked, reason } });
}

/** An entry of the audit log as the control database has it. */
export type AuditRow = Schema['audit']['$inferSelect'];

/** The request under which an act on a record left its answer; null for other acts. */
export function requestOfIntent(entry: AuditRow): RequestIdentity | null {
  const { act, namespace, subject: name, intent, actor, actorKind, reason } = entry;
  if (!namespace || !isRecordAct(act)) return null;
  const who = { name: actor, kind: actorKind };
  const recorded = { intent, who, reason, ...readSeen(entry.seen) };
  return identityOfAct(act, { namespace, name }, recorded);
}
