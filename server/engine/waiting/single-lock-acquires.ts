import type { AcquireAnswer, Granted } from '../../contract/lock/answers';
import { isLate } from '../../core/lock/hold-lifecycle';
import type { AcquireCommand } from '../../core/lock/lock-command';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { grantTooLate } from '../refusals';
import { isGranted } from './granted-or-queued';
import { type Acquired, WaitingAcquires } from './waiting-acquires';
import { WaitingCall } from './waiting-call';

/** Acquires of single locks. */
export class SingleLockAcquires extends WaitingAcquires<RecordKey, AcquireCommand, AcquireAnswer> {
  protected callOf(key: RecordKey, command: AcquireCommand): WaitingCall {
    return new WaitingCall(command, [recordId(key)]);
  }

  protected ask(
    key: RecordKey,
    command: AcquireCommand,
    dueAt?: number,
  ): Promise<Acquired<AcquireAnswer>> {
    return this.commands.submit(key, command, dueAt);
  }

  /**
   * Grants nothing itself. A grant that came first is claimed by asking again, unless the call has
   * received it: another process that made it may find that its own caller has hung up.
   */
  protected async giveUp(key: RecordKey, command: AcquireCommand, call: WaitingCall) {
    const { request } = command;
    const dueAt = this.commands.dueAt(call.patienceEndsAt);
    const answer = await this.commands.run(key, { verb: 'giveUp', request }, dueAt);
    if (!isGranted(answer) || call.delivery) return { answer, changed: false };
    return this.ask(key, { ...command, waitMs: 0 }, dueAt);
  }

  protected queuedAt(key: RecordKey): string {
    return recordId(key);
  }

  protected cancelWait(key: RecordKey, { service, owner, request }: AcquireCommand) {
    return this.commands.run(key, { verb: 'cancel', service, owner, request });
  }

  protected leftMs({ expiresInMs }: Granted): number {
    return expiresInMs;
  }

  protected revert(key: RecordKey, granted: Granted, dueAt?: number) {
    return this.commands.unreceived.revertOnce(key, granted, dueAt);
  }

  /** A re-entry can appear late because renewals were stopped: then another would be no better. */
  protected async restartLeases(
    key: RecordKey,
    command: AcquireCommand,
    granted: Granted,
    dueAt: number,
  ): Promise<AcquireAnswer | null> {
    if (command.request.remembered) return this.restartLease(key, command, granted, dueAt);
    if (granted.holdCount === 1) return null;
    const restarted = await this.restartLease(key, command, granted, dueAt).catch(() => null);
    return restarted?.outcome === 'granted' ? restarted : null;
  }

  /** A re-entered hold whose renewals were stopped only has the rest of its lease. */
  private async restartLease(
    key: RecordKey,
    { service, owner, leaseMs }: AcquireCommand,
    granted: Granted,
    dueAt: number,
  ): Promise<AcquireAnswer> {
    const { token } = granted;
    const renew = { verb: 'renew', service, owner, token, leaseMs } as const;
    const renewed = await this.commands.run(key, renew, dueAt).catch((cause) => {
      throw grantTooLate(cause);
    });
    if (renewed.outcome === 'lost') return { outcome: 'ended', token, cause: renewed.cause };
    if (renewed.outcome === 'released') return { outcome: 'ended', token, cause: 'released' };
    const { expiresAt, expiresInMs, renewalsStopped } = renewed;
    const isLeaseFixed = renewalsStopped !== undefined && expiresInMs > 0;
    if (!isLeaseFixed && isLate(leaseMs, expiresInMs)) throw grantTooLate(null);
    return { ...granted, expiresAt, expiresInMs };
  }
}
