import { StoreError } from '@/server/storage/record-store';
import type { SimOwner, SimScheduler } from './sim-scheduler';

/**
 * What happens to one call on its way.
 *
 * - `pass`: it arrives and is answered.
 * - `slow`: a row lock delays it.
 * - `loseRequest`: it never arrives.
 * - `loseReply`: it arrives, and its answer does not.
 * - `late`: its caller gets "outcome unknown", and then it arrives.
 * - `stuck`: the same, but so late that it is no longer expected.
 * - `conflict`: it is rolled back, and its caller knows.
 * - `crash`: its caller dies before the answer.
 */
export type Fate =
  | 'pass'
  | 'slow'
  | 'loseRequest'
  | 'loseReply'
  | 'late'
  | 'stuck'
  | 'conflict'
  | 'crash';

const PACKET_TIMEOUT_MS = 1_500;
const SLOW_MS = 2_500;
const LATE_MS = 4_000;
const STUCK_MS = 15_000;

/** The network between one process and one server, with its faults. */
export class SimLink {
  constructor(
    private readonly scheduler: SimScheduler,
    private readonly owner: SimOwner,
    private readonly random: () => number,
    private readonly fateOf: (call: 'read' | 'swap') => Fate,
  ) {}

  /**
   * @param work what the server does, in one instant
   * @throws StoreError with what the process knows of its effect; it may have been done, or be done
   *   later
   */
  call<T>(kind: 'read' | 'swap', work: () => T): Promise<T> {
    return this.callInSteps(kind, (done) => done(work()));
  }

  /**
   * As `call`, for work that takes the server longer than an instant.
   *
   * @param work calls the function that it gets with its result
   */
  callInSteps<T>(kind: 'read' | 'swap', work: (done: (result: T) => void) => void): Promise<T> {
    const { scheduler, owner, random } = this;
    const fate = this.fateOf(kind);
    const isSwap = kind === 'swap';
    return new Promise<T>((resolve, reject) => {
      const fail = (applied: 'no' | 'unknown', retryable = false) =>
        reject(new StoreError(`This ${kind} met the fate ${fate}.`, applied, { retryable }));
      const arrive = (ms: number, then: (result: T) => void) =>
        scheduler.after(ms, null, () => work(then));
      const reply = (result: T) => scheduler.after(this.hop(), owner, () => resolve(result));
      scheduler.after(PACKET_TIMEOUT_MS, owner, () => fail(isSwap ? 'unknown' : 'no'));
      switch (fate) {
        case 'pass':
          arrive(this.hop(), reply);
          return;
        case 'slow':
          arrive(random() * SLOW_MS, reply);
          return;
        case 'loseReply':
          arrive(this.hop(), () => undefined);
          return;
        case 'crash':
          arrive(this.hop(), () => {
            owner.isDead = true;
          });
          return;
        case 'late':
          arrive(random() * LATE_MS, () => undefined);
          scheduler.after(this.hop(), owner, () => fail(isSwap ? 'unknown' : 'no'));
          return;
        case 'stuck':
          arrive((1 + random()) * STUCK_MS, () => undefined);
          scheduler.after(this.hop(), owner, () => fail(isSwap ? 'unknown' : 'no'));
          return;
        case 'loseRequest':
          scheduler.after(this.hop(), owner, () => fail(isSwap ? 'unknown' : 'no'));
          return;
        case 'conflict':
          scheduler.after(this.hop(), owner, () => fail('no', isSwap));
      }
    });
  }

  private hop(): number {
    return this.random() < 0.05 ? this.random() * 60 : 0.1 + this.random() * 2;
  }
}
