import type { RequestIdentity } from '../../core/request-fingerprint';
import type { LockEngine } from '../../engine/lock-engine';
import { backendDown } from '../../engine/refusals';
import { TimeLimit } from '../../platform/time-limit';
import type { RecordKey } from '../../storage/record-store';
import { engineOf } from '../locks/resolve-lock';
import type { OperationContext } from '../operation-context';
import { identityOfAct, type RecordActName } from './act-identity';
import type { AuditedAct } from './audited-act';
import { runAuditedAct } from './run-audited-act';

/** An operator's act on one lock or counter. */
export interface RecordAct extends RecordKey, Pick<AuditedAct, 'requestId'> {
  act: RecordActName;
  reason: string;
  /** What was seen before the act. */
  seen: Record<string, unknown>;
}

/** What the command of an act needs. */
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

/** @param act is called immediately, with the end of the last act of that identity */
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
/** An answer that is stored for less time than this may have expired when the act is decided. */
const KEPT_AT_LEAST_MS = 60_000;

/**
 * Whether an act was applied before, so that its request gets the stored answer now.
 *
 * @param stored the stored answer; null: the act was not applied
 */
function isStored(stored: Promise<unknown>): Promise<boolean> {
  const late = () => new Error('The outcome is not known in time.');
  return TimeLimit.within(FIND_REPEAT_MS, late, stored).then(
    (answer) => answer !== null,
    () => false,
  );
}
