import type {
  AcquireSetAnswer,
  SetAnswer,
  SetGranted,
  SetQueued,
} from '../../contract/multi-lock/answers';
import { isLate } from '../../core/lease-floor';
import {
  type AcquireSetCommand,
  type CancelSetCommand,
  memberAsk,
  type SetCommand,
} from '../../core/multi-lock/multi-lock-command';
import { recordId } from '../../storage/record-id';
import type { SetResult, SetRunner } from '../commit/multi-lock-committer';
import type { LockEngine, LockSets, WaitOptions } from '../lock-engine';
import { inDoubt, tooLate } from '../refusals';
import { startRequestClocks } from './request-timers';
import { WaitingCall, type WaitingRoom } from './waiter-registry';

export interface SetWaitParts {
  runner: SetRunner;
  room: WaitingRoom;
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
const LOOK_EVERY_MS = 50;

/** A place is lost, found again and lost again no more often than this while its request ends. */
const LAST_TRIES = 3;

/**
 * Waiting multi-locks: each call is in the queue of one lock, and checks all of its locks when its
 * turn comes there.
 */
export class WaitingSets implements LockSets {
  private readonly seats = new Set<Seat>();
  private looking: NodeJS.Timeout | undefined;

  constructor(private readonly parts: SetWaitParts) {}

  async acquire(
    namespace: string,
    ask: AcquireSetCommand,
    wait: WaitOptions,
  ): Promise<AcquireSetAnswer> {
    const { runner } = this.parts;
    let dueAt = runner.dueAt();
    for (let attempt = 1; ; attempt += 1) {
      const { answer, changed } =
        ask.waitMs === 0
          ? await this.run(namespace, ask, dueAt)
          : await this.acquireWaiting(namespace, ask, wait);
      if (answer.outcome !== 'granted' || !changed) return answer as AcquireSetAnswer;
      const hasHungUp = wait.signal?.aborted || wait.hasHungUp?.() || false;
      const isUnheard = hasHungUp && !ask.request.remembered;
      const leftMs = Math.min(...answer.grants.map(({ expiresInMs }) => expiresInMs));
      if (!isUnheard && !isLate(ask.leaseMs, leftMs)) return answer;
      if (ask.waitMs > 0) dueAt = runner.dueAt();
      if (ask.request.remembered) return this.beginAnew(namespace, ask, answer);
      const givenBack = this.giveBack(namespace, answer, ask, dueAt);
      if (isUnheard) return givenBack.then(() => answer).catch(() => answer);
      await givenBack;
      if (attempt === 2) throw tooLate(null);
    }
  }

  async cancel(
    namespace: string,
    command: CancelSetCommand,
  ): Promise<{ outcome: 'cancelled' | 'released' | 'none' }> {
    const { answer } = await this.run(namespace, command);
    return answer as { outcome: 'cancelled' | 'released' | 'none' };
  }

  private run(
    namespace: string,
    command: SetCommand,
    dueAt = this.parts.runner.dueAt(),
  ): Promise<SetResult> {
    return this.parts.runner.run(namespace, command, dueAt, (answer) =>
      this.takeBack(namespace, command, answer),
    );
  }

  /**
   * A grant that came after its caller was answered. One that has a request id may still be asked
   * for.
   */
  private takeBack(namespace: string, command: SetCommand, answer: SetAnswer): void {
    if (command.request.remembered || answer.outcome !== 'granted') return;
    this.withdraw(namespace, answer, command).catch(() => undefined);
  }

  private async withdraw(
    namespace: string,
    { grants }: SetGranted,
    { request }: Pick<SetCommand, 'request'>,
    dueAt?: number,
  ): Promise<void> {
    const holds = grants.map(({ name, token }) => ({ name, token }));
    await this.run(namespace, { verb: 'withdrawSet', holds, request }, dueAt);
  }

  /**
   * As for a single acquire: a grant that a request id may have received is kept, and only its
   * leases start again.
   */
  private async beginAnew(
    namespace: string,
    ask: AcquireSetCommand,
    { grants }: SetGranted,
  ): Promise<AcquireSetAnswer> {
    const { service, owner, leaseMs } = ask;
    const renewals = grants.map(({ name, token }) =>
      this.parts.run({ namespace, name }, { verb: 'renew', service, owner, token, leaseMs }),
    );
    await Promise.allSettled(renewals);
    const { answer } = await this.run(namespace, { ...ask, waitMs: 0 }).catch((cause) => {
      throw tooLate(cause);
    });
    const isGranted = answer.outcome === 'granted';
    const stillLate = isGranted && answer.grants.some((one) => isLate(leaseMs, one.expiresInMs));
    if (stillLate) throw tooLate(null);
    return answer as AcquireSetAnswer;
  }

  /**
   * What could not be given back may still be held: its caller must not be told that nothing
   * changed.
   */
  private async giveBack(
    namespace: string,
    answer: SetGranted,
    ask: AcquireSetCommand,
    dueAt: number,
  ): Promise<void> {
    if (this.parts.monotonic() < dueAt) {
      await this.withdraw(namespace, answer, ask, dueAt).catch((cause) => {
        throw tooLate(cause);
      });
      return;
    }
    this.takeBack(namespace, ask, answer);
    throw tooLate(null);
  }

  private async acquireWaiting(
    namespace: string,
    ask: AcquireSetCommand,
    wait: WaitOptions,
  ): Promise<SetResult> {
    const seat = new Seat(this.parts.room, namespace, ask);
    const stopClocks = startRequestClocks(seat.call, wait);
    try {
      return await this.waitFor(namespace, ask, { seat, onQueued: wait.onQueued });
    } catch (error) {
      throw seat.call.wasQueued ? inDoubt(error) : error;
    } finally {
      stopClocks();
      this.seats.delete(seat);
      seat.leaveAll();
    }
  }

  /** Patience runs over all moves, and over all calls of a request. */
  private async waitFor(
    namespace: string,
    ask: AcquireSetCommand,
    { seat, onQueued }: { seat: Seat; onQueued: WaitOptions['onQueued'] },
  ): Promise<SetResult> {
    const { monotonic, isDraining } = this.parts;
    let patienceEndsAt = monotonic() + ask.waitMs;
    for (;;) {
      seat.takeAll();
      const leftMs = Math.round(patienceEndsAt - monotonic());
      if (leftMs <= 0) return this.run(namespace, { ...ask, verb: 'giveUpSet' });
      const asked = await this.run(namespace, { ...ask, waitMs: leftMs });
      const place = asked.answer;
      if (place.outcome !== 'queued') return asked;
      seat.keep(place.name);
      onQueued?.();
      this.watch(seat);
      patienceEndsAt = Math.min(patienceEndsAt, monotonic() + place.patienceLeftMs);
      const patience = setTimeout(() => seat.call.wake({ why: 'patience' }), place.patienceLeftMs);
      const wake = isDraining() ? ({ why: 'drain' } as const) : await seat.call.next();
      clearTimeout(patience);
      if (wake.why === 'patience') patienceEndsAt = monotonic();
      else if (wake.why === 'hungUp' || wake.why === 'requestOver' || wake.why === 'drain') {
        return this.leaveLine(
          namespace,
          { ...ask, waitMs: leftMs },
          { seat, place, why: wake.why },
        );
      }
    }
  }

  private watch(seat: Seat): void {
    this.seats.add(seat);
    this.looking ??= setTimeout(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  private async look(): Promise<void> {
    const ids = [...this.seats].flatMap(({ call, kept }) => (call.queued && kept ? [kept] : []));
    await this.parts.lookAt([...new Set(ids)]);
    this.looking = undefined;
    const [any] = this.seats;
    if (any) this.watch(any);
  }

  /**
   * As for a single acquire: see `leaveLine` there. A place that moved meanwhile is looked for
   * again.
   */
  private async leaveLine(
    namespace: string,
    ask: AcquireSetCommand,
    { seat, place, why }: { seat: Seat; place: SetQueued; why: 'hungUp' | 'requestOver' | 'drain' },
  ): Promise<SetResult> {
    const { room, run } = this.parts;
    const { service, owner, request, locks } = ask;
    seat.call.isLeaving = true;
    let last: SetResult = { answer: place, changed: false };
    if (why === 'hungUp' && !request.remembered) {
      seat.leaveAll();
      const names = locks.map(({ name }) => name);
      await this.cancel(namespace, { verb: 'cancelSet', service, owner, names, request }).catch(
        () => undefined,
      );
      return last;
    }
    for (let tries = 0; tries < LAST_TRIES; tries += 1) {
      const { answer } = last;
      if (answer.outcome !== 'queued') return last;
      const key = { namespace, name: answer.name };
      if (room.hasTwin(recordId(key), seat.call)) return last;
      const kept = await run(key, {
        verb: 'detach',
        request: { ...request, remembered: false },
      });
      if (kept.outcome === 'queued') return { answer: { ...answer, ...kept }, changed: false };
      seat.takeAll();
      last = await this.run(namespace, ask);
    }
    return last;
  }
}

/**
 * A set's call in the waiting room: at all of its locks while it is being decided, at one of them
 * while it waits.
 */
class Seat {
  readonly call: WaitingCall;
  /** The lock where it waits, once it does. */
  kept: string | null = null;
  private readonly ids: string[];

  constructor(
    private readonly room: WaitingRoom,
    private readonly namespace: string,
    ask: AcquireSetCommand,
  ) {
    // Only the request matters here: a multi-lock's waiter is never granted on its own.
    this.call = new WaitingCall(memberAsk(ask, 'exclusive'));
    this.ids = ask.locks.map(({ name }) => recordId({ namespace, name }));
  }

  takeAll(): void {
    this.call.queued = false;
    for (const id of this.ids) this.room.enter(id, this.call);
  }

  keep(name: string): void {
    this.kept = recordId({ namespace: this.namespace, name });
    for (const id of this.ids) if (id !== this.kept) this.room.leave(id, this.call);
    this.call.queued = true;
    this.call.wasQueued = true;
  }

  leaveAll(): void {
    for (const id of this.ids) this.room.leave(id, this.call);
  }
}
