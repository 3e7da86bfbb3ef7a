import type { RequestIdentity } from '../../core/request-fingerprint';
import type { LockEngine } from '../../engine/lock-engine';
import { backendDown } from '../../engine/refusals';
import { requestIdentity } from '../../engine/request-identity';
import { TimeLimit } from '../../platform/time-limit';
import type { RecordKey } from '../../storage/record-store';
import { engineOf } from '../locks/resolve-lock';
import type { OperationContext } from '../operation-context';
import type { AuditActor, AuditedAct } from './audit-log';
import { runAuditedAct } from './run-audited-act';

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
type RecordActName = keyof typeof VERBS;

export function isRecordAct(act: string): act is RecordActName {
  return Object.hasOwn(VERBS, act);
}

/** An operator's act on one lock or counter. */
export interface RecordAct extends RecordKey, Pick<AuditedAct, 'requestId'> {
  act: RecordActName;
  reason: string;
  /** What was seen before the act. */
  seen: Record<string, unknown>;
}

/** What the command of an act is made with. */
interface ActOnRecord {
  engine: LockEngine;
  key: RecordKey;
  /** The operator's name. */
  by: string;
  /**
   * Part of the command: its identity, so that it is applied at most once, and the latest instant
   * of the backend's clock at which it may be applied.
   */
  once: { request: RequestIdentity; latestAt: number };
}

/**
 * Runs an operator's act on one lock or counter: see `runAuditedAct`.
 *
 * @throws LockyardError also `NOT_FOUND` for an unknown namespace
 */
export function runAuditedRecordAct<A extends { outcome: string }>(
  ctx: OperationContext,
  { act, namespace, name, reason, seen, requestId }: RecordAct,
  run: (on: ActOnRecord) => Promise<A>,
): Promise<A> {
  const key = { namespace, name };
  const what = { act, namespace, subject: name, reason, seen, requestId };
  return runAuditedAct(ctx, what, async (started) => {
    const { intent, who, leftMs } = started;
    const engine = await engineOf(ctx, namespace);
    const now = engine.clockAtLeast(act.startsWith('counter.') ? { ...key, kind: 'counter' } : key);
    if (now === null) throw backendDown(null);
    const request = identityOfAct(act, key, { intent, who, reason, seen, requestId });
    const carryOut = () => {
      // Read after the clock: a process that is stopped in between has less time left.
      const once = { request, latestAt: Math.floor(now + leftMs()) };
      return run({ engine, key, by: who.name, once });
    };
    if (requestId === undefined) return carryOut();
    return afterTheLast(request.key, async (last) => {
      const stored = last.then(() => engine.rememberedAnswer(request, now + KEPT_AT_LEAST_MS));
      started.isRepeat = await isStored(stored);
      return carryOut();
    });
  });
}

/** The last act of each identity that is under way in this process. */
const underWay = new Map<string, Promise<unknown>>();

/** @param act is called at once, with the end of the last one of that identity */
function afterTheLast<A>(
  identity: string,
  act: (last: Promise<unknown>) => Promise<A>,
): Promise<A> {
  const answer = act(underWay.get(identity) ?? Promise.resolve());
  const end = answer
    .catch(() => undefined)
    .finally(() => {
      if (underWay.get(identity) === end) underWay.delete(identity);
    });
  underWay.set(identity, end);
  return answer;
}

/** How long it may take to find out whether an act is a repeat, which only the audit log needs. */
const FIND_REPEAT_MS = 500;
/** An answer that is kept for less than this may have expired when the act is decided. */
const KEPT_AT_LEAST_MS = 60_000;

/**
 * Whether an act was applied before, so that its request gets the stored answer now.
 *
 * @param stored what it was answered; null: it was not applied
 */
function isStored(stored: Promise<unknown>): Promise<boolean> {
  const late = () => new Error('It is not known in time.');
  return TimeLimit.within(FIND_REPEAT_MS, late, stored).then(
    (answer) => answer !== null,
    () => false,
  );
}

/** An act as the audit log records it. */
interface RecordedAct extends Pick<AuditedAct, 'seen' | 'reason' | 'requestId'> {
  intent: string;
  who: AuditActor;
}

/**
 * The identity of an operator's act, made from its audit entry alone, so that its outcome can be
 * found later. With a request id it is the same act whenever it comes with that id; otherwise every
 * entry is an act of its own.
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
