import type { z } from 'zod';
import type * as counter from '../../server/contract/counter';
import type { Reason as AnyReason } from '../../server/contract/errors';
import type * as answers from '../../server/contract/lock/answers';
import type * as inputs from '../../server/contract/lock/inputs';
import type * as watch from '../../server/contract/lock/watch';
import type * as multiLock from '../../server/contract/multi-lock';
import type * as primitives from '../../server/contract/primitives';
import type * as witness from '../../server/contract/witness';

/**
 * The inputs and answers of the service API: plain JSON. The types are those of the server's
 * schemas; `wire-types.mjs` reads these lines and writes the types out for the package, with the
 * schemas' descriptions as comments.
 */

export type Reason = AnyReason;

export type Mode = z.output<typeof primitives.mode>;
export type PermitUse = z.output<typeof primitives.permitUse>;
export type Remark = z.output<typeof primitives.remark>;
export type EndCause = z.output<typeof primitives.cause>;
export type Holder = z.output<typeof primitives.holder>;
export type Waiter = z.output<typeof primitives.waiter>;

export type LockRef = z.input<typeof inputs.inspectInput>;
export type AcquireInput = z.input<typeof inputs.acquireInput>;
export type CancelInput = z.input<typeof inputs.cancelInput>;
export type RenewInput = z.input<typeof inputs.renewInput>;
export type ReleaseInput = z.input<typeof inputs.releaseInput>;
export type CheckInput = z.input<typeof inputs.checkInput>;
export type ListInput = z.input<typeof inputs.listInput>;

export type Granted = z.output<typeof answers.granted>;
export type Held = z.output<typeof answers.heldOrTimeout>;
export type Queued = z.output<typeof answers.queued>;
export type QueueFull = z.output<typeof answers.queueFull>;
export type Frozen = z.output<typeof answers.frozen>;
export type Ended = z.output<typeof answers.ended>;
export type Lost = z.output<typeof answers.lost>;
export type Renewed = z.output<typeof answers.renewed>;
export type AcquireAnswer = z.output<typeof answers.acquireAnswer>;
export type CancelAnswer = z.output<typeof answers.cancelAnswer>;
export type RenewAnswer = z.output<typeof answers.renewAnswer>;
export type ReleaseAnswer = z.output<typeof answers.releaseAnswer>;
export type InspectAnswer = z.output<typeof answers.inspectAnswer>;
export type ListedLock = z.output<typeof answers.listedLock>;
export type ListAnswer = z.output<typeof answers.listAnswer>;
export type CheckAnswer = z.output<typeof answers.checkAnswer>;

export type WatchInput = z.input<typeof watch.watchInput>;
export type WatchAnswer = z.output<typeof watch.watchAnswer>;

export type AcquireManyInput = z.input<typeof multiLock.acquireManyInput>;
export type CancelManyInput = z.input<typeof multiLock.cancelManyInput>;
export type SetGrant = z.output<typeof multiLock.multiLockGrant>;
export type BlockedBy = z.output<typeof multiLock.blockingLock>;
export type SetGranted = z.output<typeof multiLock.multiLockGranted>;
export type SetHeld = z.output<typeof multiLock.multiLockHeldOrTimeout>;
export type SetQueued = z.output<typeof multiLock.multiLockQueued>;
export type SetQueueFull = z.output<typeof multiLock.multiLockQueueFull>;
export type SetFrozen = z.output<typeof multiLock.multiLockFrozen>;
export type SetEnded = z.output<typeof multiLock.multiLockEnded>;
export type AcquireManyAnswer = z.output<typeof multiLock.acquireManyAnswer>;

export type CounterRef = z.input<typeof counter.counterGetInput>;
export type CounterCreateInput = z.input<typeof counter.counterCreateInput>;
export type CounterAddInput = z.input<typeof counter.counterAddInput>;
export type CounterView = z.output<typeof counter.counterView>;
export type CounterCreateAnswer = z.output<typeof counter.counterCreateAnswer>;
export type CounterAddAnswer = z.output<typeof counter.counterAddAnswer>;
export type CounterGetAnswer = z.output<typeof counter.counterGetAnswer>;

export type WitnessedProcess = z.output<typeof witness.witnessedProcess>;
export type WitnessReportInput = z.input<typeof witness.witnessReportInput>;
export type WitnessReportAnswer = z.output<typeof witness.witnessReportAnswer>;
