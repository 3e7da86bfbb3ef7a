import type {
  AcquireManyAnswer,
  MultiLockGranted,
  MultiLockQueued,
} from '../../contract/multi-lock';
import { isLate } from '../../core/lock/hold-lifecycle';
import {
  type AcquireMultiLockCommand,
  type CancelMultiLockCommand,
  type GiveUpMultiLockCommand,
  memberCommand,
} from '../../core/multi-lock/multi-lock-command';
import { MULTI_LOCKS_EVERY_MS } from '../../core/timing';
import { Periodic } from '../../platform/periodic';
import { recordId } from '../../storage/record-id';
import type { MultiLocks } from '../lock-engine';
import { grantTooLate } from '../refusals';
import { type Acquired, WaitingAcquires } from './waiting-acquires';
import { WaitingCall } from './waiting-call';

/** Acquires of several locks: a call queues for one lock, and in its turn asks for all of them. */
export class MultiLockAcquires
  extends WaitingAcquires<string, AcquireMultiLockCommand, AcquireManyAnswer>
  implements MultiLocks
{
  private readonly waiting = new Set<WaitingCall>();
  private readonly checking = new Periodic({
    job: 'check multi-locks that wait',
    everyMs: MULTI_LOCKS_EVERY_MS,
    run: () => this.check(),
  });

  async answerCancelled(namespace: string, ask: AcquireMultiLockCommand) {
    return (await this.ask(namespace, { ...ask, verb: 'giveUpSet' })).answer;
  }

  async cancel(namespace: string, command: CancelMultiLockCommand) {
    const { answer } = await this.commands.submitMultiLock(namespace, command);
    return answer;
  }

  protected callOf(namespace: string, command: AcquireMultiLockCommand): WaitingCall {
    const ids = command.locks.map(({ name }) => recordId({ namespace, name }));
    // Only the request matters here: a multi-lock's waiter is never granted a single lock.
    return new WaitingCall(memberCommand(command, 'exclusive'), ids);
  }

  protected ask(
    namespace: string,
    command: AcquireMultiLockCommand | GiveUpMultiLockCommand,
    dueAt?: number,
  ): Promise<Acquired<AcquireManyAnswer>> {
    return this.commands.submitMultiLock(namespace, command, dueAt);
  }

  protected giveUp(namespace: string, command: AcquireMultiLockCommand, call: WaitingCall) {
    const dueAt = this.commands.dueAt(call.patienceEndsAt);
    return this.ask(namespace, { ...command, verb: 'giveUpSet' }, dueAt);
  }

  protected queuedAt(namespace: string, { name }: MultiLockQueued): string {
    return recordId({ namespace, name });
  }

  protected override onQueued(call: WaitingCall): void {
    this.waiting.add(call);
    this.checking.start();
  }

  private async check(): Promise<void> {
    const ids = [...this.waiting].flatMap(({ queued, waitsAt }) =>
      queued && waitsAt ? [waitsAt] : [],
    );
    this.commands.expireAndPromote([...new Set(ids)]);
    if (this.waiting.size === 0) void this.checking.stop();
  }

  protected override onLeft(call: WaitingCall): void {
    this.waiting.delete(call);
  }

  protected cancelWait(namespace: string, command: AcquireMultiLockCommand) {
    const { service, owner, request, locks } = command;
    const names = locks.map(({ name }) => name);
    return this.cancel(namespace, { verb: 'cancelSet', service, owner, names, request });
  }

  protected leftMs({ grants }: MultiLockGranted): number {
    return Math.min(...grants.map(({ expiresInMs }) => expiresInMs));
  }

  protected revert(namespace: string, granted: MultiLockGranted, dueAt?: number) {
    return this.commands.unreceived.revertMultiLock(namespace, granted, dueAt);
  }

  protected async restartLeases(
    namespace: string,
    command: AcquireMultiLockCommand,
    { grants }: MultiLockGranted,
    dueAt: number,
  ): Promise<AcquireManyAnswer | null> {
    const { service, owner, leaseMs, request } = command;
    if (!request.remembered) return null;
    const renewals = grants.map(({ name, token }) => {
      const renew = { verb: 'renew', service, owner, token, leaseMs } as const;
      return this.commands.run({ namespace, name }, renew, dueAt);
    });
    await Promise.allSettled(renewals);
    const asked = this.ask(namespace, { ...command, waitMs: 0 }, dueAt);
    const { answer } = await asked.catch((cause) => {
      throw grantTooLate(cause);
    });
    const isGranted = answer.outcome === 'granted';
    if (isGranted && isLate(leaseMs, this.leftMs(answer))) throw grantTooLate(null);
    return answer;
  }
}
