import type {
  AcquireManyAnswer,
  MultiLockGranted,
  MultiLockQueued,
} from '../../contract/multi-lock';
import { isLate } from '../../core/lease-floor';
import type {
  AcquireMultiLockCommand,
  CancelMultiLockCommand,
  MultiLockAnswer,
  MultiLockCommand,
} from '../../core/multi-lock/multi-lock-command';
import { Periodic } from '../../platform/periodic';
import { recordId } from '../../storage/record-id';
import type { MultiLockCommitter, MultiLockResult } from '../commit/multi-lock-committer';
import type { LockEngine, MultiLocks, WaitOptions } from '../lock-engine';
import { grantTooLate, unknownIfDenied } from '../refusals';
import { MultiLockRegistration } from './multi-lock-registration';
import { startRequestTimers } from './request-timers';
import type { WaiterRegistry } from './waiter-registry';

export interface WaitingMultiLocksDependencies {
  runner: MultiLockCommitter;
  room: WaiterRegistry;
  monotonic: () => number;
  isDraining: () => boolean;
  /** Checks these locks: does what is due there, and notifies each waiter whose turn it is. */
  lookAt: (ids: string[]) => Promise<unknown>;
  /** Runs a command on one lock of a set. */
  run: LockEngine['run'];
}

/**
 * How often a process looks at the locks where its own sets wait: a set may need many turns where
 * others need one.
 */
const CHECK_EVERY_MS = 50;

/** A place is lost, found again and lost again no more often than this while its request ends. */
const LEAVE_ATTEMPTS_MAX = 3;

/**
 * Waiting multi-locks: each call is in the queue of one lock, and checks all of its locks when its
 * turn comes there.
 */
export class WaitingMultiLocks implements MultiLocks {
  private readonly registrations = new Set<MultiLockRegistration>();
  private readonly checking = new Periodic({
    job: 'check multi-locks that wait',
    everyMs: CHECK_EVERY_MS,
    run: () => this.check(),
  });

  constructor(private readonly deps: WaitingMultiLocksDependencies) {}

  async acquire(
    namespace: string,
    ask: AcquireMultiLockCommand,
    wait: WaitOptions,
  ): Promise<AcquireManyAnswer> {
    const { runner } = this.deps;
    let dueAt = runner.dueAt();
    for (let attempt = 1; ; attempt += 1) {
      const { answer, changed } =
        ask.waitMs === 0
          ? await this.run(namespace, ask, dueAt)
          : await this.acquireWaiting(namespace, ask, wait);
      if (answer.outcome !== 'granted' || !changed) return answer as AcquireManyAnswer;
      const hasHungUp = wait.signal?.aborted || wait.hasHungUp?.() || false;
      const isUnreceived = hasHungUp && !ask.request.remembered;
      const leftMs = Math.min(...answer.grants.map(({ expiresInMs }) => expiresInMs));
      if (!isUnreceived && !isLate(ask.leaseMs, leftMs)) return answer;
      if (ask.waitMs > 0) dueAt = runner.dueAt();
      if (ask.request.remembered) return this.restartLeases(namespace, ask, answer);
      const givenBack = this.revertLateGrant(namespace, answer, ask, dueAt);
      if (isUnreceived) return givenBack.then(() => answer).catch(() => answer);
      await givenBack;
      if (attempt === 2) throw grantTooLate(null);
    }
  }

  async cancel(
    namespace: string,
    command: CancelMultiLockCommand,
  ): Promise<{ outcome: 'cancelled' | 'released' | 'none' }> {
    const { answer } = await this.run(namespace, command);
    return answer as { outcome: 'cancelled' | 'released' | 'none' };
  }

  private run(
    namespace: string,
    command: MultiLockCommand,
    dueAt = this.deps.runner.dueAt(),
  ): Promise<MultiLockResult> {
    return this.deps.runner.run(namespace, command, dueAt, (answer) =>
      this.revertIfGranted(namespace, command, answer),
    );
  }

  /**
   * A grant that came after its caller was answered. One that has a request id may still be asked
   * for.
   */
  private revertIfGranted(
    namespace: string,
    command: MultiLockCommand,
    answer: MultiLockAnswer,
  ): void {
    if (command.request.remembered || answer.outcome !== 'granted') return;
    this.revertGrant(namespace, answer, command).catch(() => undefined);
  }

  private async revertGrant(
    namespace: string,
    { grants }: MultiLockGranted,
    { request }: Pick<MultiLockCommand, 'request'>,
    dueAt?: number,
  ): Promise<void> {
    const holds = grants.map(({ name, token }) => ({ name, token }));
    await this.run(namespace, { verb: 'withdrawSet', holds, request }, dueAt);
  }

  /**
   * As for a single acquire: a grant that a request id may have received is kept, and only its
   * leases start again.
   */
  private async restartLeases(
    namespace: string,
    ask: AcquireMultiLockCommand,
    { grants }: MultiLockGranted,
  ): Promise<AcquireManyAnswer> {
    const { service, owner, leaseMs } = ask;
    const renewals = grants.map(({ name, token }) =>
      this.deps.run({ namespace, name }, { verb: 'renew', service, owner, token, leaseMs }),
    );
    await Promise.allSettled(renewals);
    const { answer } = await this.run(namespace, { ...ask, waitMs: 0 }).catch((cause) => {
      throw grantTooLate(cause);
    });
    const isGranted = answer.outcome === 'granted';
    const stillLate = isGranted && answer.grants.some((one) => isLate(leaseMs, one.expiresInMs));
    if (stillLate) throw grantTooLate(null);
    return answer as AcquireManyAnswer;
  }

  /**
   * What could not be given back may still be held: its caller must not be told that nothing
   * changed.
   */
  private async revertLateGrant(
    namespace: string,
    answer: MultiLockGranted,
    ask: AcquireMultiLockCommand,
    dueAt: number,
  ): Promise<void> {
    if (this.deps.monotonic() < dueAt) {
      await this.revertGrant(namespace, answer, ask, dueAt).catch((cause) => {
        throw grantTooLate(cause);
      });
      return;
    }
    this.revertIfGranted(namespace, ask, answer);
    throw grantTooLate(null);
  }

  private async acquireWaiting(
    namespace: string,
    ask: AcquireMultiLockCommand,
    wait: WaitOptions,
  ): Promise<MultiLockResult> {
    const registration = new MultiLockRegistration(this.deps.room, namespace, ask);
    const stopTimers = startRequestTimers(registration.call, wait);
    try {
      return await this.waitFor(namespace, ask, { seat: registration, onQueued: wait.onQueued });
    } catch (error) {
      throw registration.call.wasQueued ? unknownIfDenied(error) : error;
    } finally {
      stopTimers();
      this.registrations.delete(registration);
      registration.removeFromAll();
    }
  }

  /** Patience runs over all moves, and over all calls of a request. */
  private async waitFor(
    namespace: string,
    ask: AcquireMultiLockCommand,
    {
      seat: registration,
      onQueued,
    }: { seat: MultiLockRegistration; onQueued: WaitOptions['onQueued'] },
  ): Promise<MultiLockResult> {
    const { monotonic, isDraining } = this.deps;
    let patienceEndsAt = monotonic() + ask.waitMs;
    for (;;) {
      registration.addToAll();
      const leftMs = Math.round(patienceEndsAt - monotonic());
      if (leftMs <= 0) return this.run(namespace, { ...ask, verb: 'giveUpSet' });
      const asked = await this.run(namespace, { ...ask, waitMs: leftMs });
      const queued = asked.answer;
      if (queued.outcome !== 'queued') return asked;
      registration.keepOnly(queued.name);
      onQueued?.();
      this.watch(registration);
      patienceEndsAt = Math.min(patienceEndsAt, monotonic() + queued.patienceLeftMs);
      const patience = setTimeout(
        () => registration.call.wake({ why: 'patience' }),
        queued.patienceLeftMs,
      );
      const wake = isDraining() ? ({ why: 'drain' } as const) : await registration.call.next();
      clearTimeout(patience);
      if (wake.why === 'patience') patienceEndsAt = monotonic();
      else if (wake.why === 'hungUp' || wake.why === 'requestOver' || wake.why === 'drain') {
        return this.leaveQueue(
          namespace,
          { ...ask, waitMs: leftMs },
          { seat: registration, place: queued, why: wake.why },
        );
      }
    }
  }

  private watch(seat: MultiLockRegistration): void {
    this.registrations.add(seat);
    this.checking.start();
  }

  private async check(): Promise<void> {
    const ids = [...this.registrations].flatMap(({ call, waitsAt }) =>
      call.queued && waitsAt ? [waitsAt] : [],
    );
    await this.deps.lookAt([...new Set(ids)]);
    if (this.registrations.size === 0) void this.checking.stop();
  }

  /**
   * As for a single acquire: see `leaveQueue` there. A place that moved meanwhile is looked for
   * again.
   */
  private async leaveQueue(
    namespace: string,
    ask: AcquireMultiLockCommand,
    {
      seat,
      place,
      why,
    }: {
      seat: MultiLockRegistration;
      place: MultiLockQueued;
      why: 'hungUp' | 'requestOver' | 'drain';
    },
  ): Promise<MultiLockResult> {
    const { room, run } = this.deps;
    const { service, owner, request, locks } = ask;
    seat.call.isLeaving = true;
    let last: MultiLockResult = { answer: place, changed: false };
    if (why === 'hungUp' && !request.remembered) {
      seat.removeFromAll();
      const names = locks.map(({ name }) => name);
      await this.cancel(namespace, { verb: 'cancelSet', service, owner, names, request }).catch(
        () => undefined,
      );
      return last;
    }
    for (let tries = 0; tries < LEAVE_ATTEMPTS_MAX; tries += 1) {
      const { answer } = last;
      if (answer.outcome !== 'queued') return last;
      const key = { namespace, name: answer.name };
      if (room.hasOtherCall(recordId(key), seat.call)) return last;
      const kept = await run(key, {
        verb: 'detach',
        request: { ...request, remembered: false },
      });
      if (kept.outcome === 'queued') return { answer: { ...answer, ...kept }, changed: false };
      seat.addToAll();
      last = await this.run(namespace, ask);
    }
    return last;
  }
}
