import type { LockyardError } from '../../contract/errors';
import { unknownIfDenied } from '../refusals';
import { Linked } from './linked';

/** The reply to a caller that waits for its answer or refusal. */
export class PendingReply<R> extends Linked {
  /** Whether its caller was answered or refused: then it must not be decided again. */
  isAnswered = false;
  /** Whether a swap with its change is under way, or has an unknown outcome. */
  mayBeApplied = false;
  /** Whether one of its changes was applied, which deciding it again does not undo. */
  wasApplied = false;
  /** Whether another transaction had its row locked, so that it waits for another turn. */
  isHindered = false;

  /** @param dueAt when its time budget ends, on the monotonic clock */
  constructor(
    readonly dueAt: number,
    private readonly resolve: (result: R) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super();
  }

  /** Answers the caller. False: it was refused before. */
  protected resolveOnce(result: R): boolean {
    if (this.isAnswered) return false;
    this.end();
    this.resolve(result);
    return true;
  }

  /**
   * Whether another transaction had its row locked until its budget ended: it must be refused now,
   * since the result of another attempt could be too late.
   */
  isHinderedPast(now: number): boolean {
    return this.isHindered && now >= this.dueAt;
  }

  /** Refuses the caller, with `UNKNOWN` if the error would wrongly say that nothing was changed. */
  refuse(error: LockyardError): void {
    this.end();
    this.reject(this.mayBeApplied || this.wasApplied ? unknownIfDenied(error) : error);
  }

  private end(): void {
    this.isAnswered = true;
    this.unlink();
  }
}
