import type { AcquireAnswer, Granted } from '../../contract/lock/answers';
import type { MultiLockGranted } from '../../contract/multi-lock';
import type { MultiLockAnswer, MultiLockCommand } from '../../core/multi-lock/multi-lock-command';
import type { RequestIdentity } from '../../core/request-fingerprint';
import { ANSWER_RETENTION_MS } from '../../core/timing';
import type { RecordKey } from '../../storage/record-store';
import type { CommandQueue } from '../command-queue';
import type { AnyCommand } from '../record-type';
import { isTransient, isUnknown } from '../refusals';
import { requestIdentity } from '../request-identity';

/** What identifies the grant of a lock, or one re-entry of its hold. */
type OneGrant = Pick<Granted, 'token' | 'rev'>;

/**
 * How long a revert is repeated after an attempt whose outcome is unknown. The stored answer that
 * keeps a repeat from removing another entry of the hold may expire at twice this age, however long
 * the hold is renewed.
 */
const REVERT_IN_DOUBT_MAX_MS = ANSWER_RETENTION_MS / 2;

/**
 * Undoes grants that no caller received: reverts them, or keeps them briefly if their request can
 * be repeated. An undo that failed, or whose outcome is unknown, is repeated by `repeatFailed`: a
 * second one undoes nothing more.
 */
export class UnreceivedGrants {
  /** Run a failed undo again. */
  private failed: (() => Promise<void>)[] = [];

  constructor(
    private readonly commands: Pick<CommandQueue, 'run' | 'submitMultiLock'>,
    private readonly monotonic: () => number,
  ) {}

  /**
   * Undoes a grant, now or with a later `repeatFailed`; never rejects.
   *
   * @param inDoubtMaxMs how long it may be repeated after an attempt whose outcome is unknown
   */
  undo(run: () => Promise<unknown>, inDoubtMaxMs = REVERT_IN_DOUBT_MAX_MS): Promise<void> {
    return this.undoUntil(Number.POSITIVE_INFINITY, run, inDoubtMaxMs);
  }

  /** Begins to run the failed undos again. */
  repeatFailed(): void {
    const { failed } = this;
    this.failed = [];
    for (const repeat of failed) void repeat();
  }

  /**
   * Keeps a grant only as long as a place in a queue, since its request can be repeated. A second
   * attempt shortens nothing more, however late it is.
   *
   * @param isRefused its caller was refused: then it is not kept at all
   */
  keepBriefly(key: RecordKey, request: RequestIdentity, isRefused = false): Promise<void> {
    const detach = { verb: 'detach', request, hungUp: true, isRefused } as const;
    return this.undo(() => this.commands.run(key, detach), Number.POSITIVE_INFINITY);
  }

  /** Reverts a grant, now or with a later `repeatFailed`. */
  revert(key: RecordKey, granted: OneGrant): void {
    void this.undo(() => this.revertOnce(key, granted));
  }

  /** Reverts a grant, once: rejects if that fails. */
  async revertOnce(key: RecordKey, { token, rev }: OneGrant, dueAt?: number): Promise<void> {
    const { namespace, name } = key;
    const request = requestOfRevert(namespace, [{ name, token, rev }]);
    await this.commands.run(key, { verb: 'revertGrant', token, request }, dueAt);
  }

  /** Reverts the grant of all locks of a multi-lock, once: rejects if that fails. */
  async revertMultiLock(
    namespace: string,
    { grants }: MultiLockGranted,
    dueAt?: number,
  ): Promise<void> {
    const holds = grants.map(({ name, token }) => ({ name, token }));
    const request = requestOfRevert(namespace, grants);
    await this.commands.submitMultiLock(namespace, { verb: 'revertSet', holds, request }, dueAt);
  }

  /** Reverts what a refused command was answered, unless a repeat of its request can claim it. */
  revertAnswer(key: RecordKey, command: AnyCommand, answer: unknown): void {
    if (command.verb !== 'acquire' || command.request.remembered) return;
    const acquired = answer as AcquireAnswer;
    if (acquired.outcome === 'granted') this.revert(key, acquired);
  }

  /** `revertAnswer` for a multi-lock. */
  revertMultiLockAnswer(
    namespace: string,
    command: MultiLockCommand,
    answer: MultiLockAnswer,
  ): void {
    if (command.request.remembered || answer.outcome !== 'granted') return;
    void this.undo(() => this.revertMultiLock(namespace, answer));
  }

  /** @param until when it may no longer be repeated, on the monotonic clock */
  private async undoUntil(
    until: number,
    run: () => Promise<unknown>,
    inDoubtMaxMs: number,
  ): Promise<void> {
    const startedAt = this.monotonic();
    if (startedAt >= until) return;
    await run().catch((error) => {
      if (!isTransient(error)) return;
      const ends = isUnknown(error) ? Math.min(until, startedAt + inDoubtMaxMs) : until;
      this.failed.push(() => this.undoUntil(ends, run, inDoubtMaxMs));
    });
  }
}

/** The identity of the revert of these grants: no other grant or re-entry has the same revs. */
function requestOfRevert(
  namespace: string,
  grants: (OneGrant & { name: string })[],
): RequestIdentity {
  const name = JSON.stringify(grants.map((grant) => grant.name));
  const requestId = grants.map(({ token, rev }) => `${token} ${rev}`).join();
  return requestIdentity({ service: '', verb: 'revert', namespace, name, requestId, input: {} });
}
