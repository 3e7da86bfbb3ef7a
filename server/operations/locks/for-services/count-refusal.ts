import type { AcquireAnswer } from '../../../contract/lock/answers';
import type { AcquireManyAnswer } from '../../../contract/multi-lock';
import type { LockEngine } from '../../../engine/lock-engine';
import type { RecordKey } from '../../../storage/record-store';
import type { Runtime } from '../../operation-context';

/** The parts of a call's context that counting needs. */
interface CountingContext {
  runtime: Pick<Runtime, 'refusals' | 'clock'>;
}

interface Caller {
  service: string;
  owner: string;
}

/** Counts an attempt that was answered `held` or `queueFull`; does nothing for other answers. */
export function countRefusal(
  ctx: CountingContext,
  engine: LockEngine,
  key: RecordKey,
  caller: Caller,
  answer: AcquireAnswer,
): void {
  if (answer.outcome === 'held') {
    note(ctx, engine, key, caller, answer.holders[0]?.token ?? 0);
  } else if (answer.outcome === 'queueFull') {
    note(ctx, engine, key, caller, heldToken(engine, key));
  }
}

/** Like `countRefusal` for a multi-lock: counts for the locks that blocked the call. */
export function countMultiLockRefusal(
  ctx: CountingContext,
  engine: LockEngine,
  namespace: string,
  caller: Caller,
  answer: AcquireManyAnswer,
): void {
  if (answer.outcome === 'held') {
    for (const { name, holders } of answer.blockedBy) {
      note(ctx, engine, { namespace, name }, caller, holders[0]?.token ?? 0);
    }
  } else if (answer.outcome === 'queueFull') {
    const key = { namespace, name: answer.name };
    note(ctx, engine, key, caller, heldToken(engine, key));
  }
}

/** The token of the first holder, as this process knows it; 0: unknown. */
const heldToken = (engine: LockEngine, key: RecordKey) =>
  engine.cachedLock(key, 0)?.record.holds[0]?.token ?? 0;

function note(
  { runtime }: CountingContext,
  engine: LockEngine,
  key: RecordKey,
  caller: Caller,
  token: number,
): void {
  const at = engine.clockAtLeast(key) ?? runtime.clock.now();
  runtime.refusals.note(engine.backend, key, caller, token, at);
}
