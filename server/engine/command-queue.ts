import type { LockyardError } from '../contract/errors';
import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { Batcher } from './commit/batcher';
import { Deadlines } from './deadlines';
import type { PendingCommand } from './pending-command';
import type { AnyCommand } from './record-type';
import { backendDown, unknownIfDenied } from './refusals';

/**
 * Time in which a command may begin a packet. With what that packet takes, its caller hears within
 * 5 s.
 */
const BUDGET_MS = 3_500;

export interface CommandQueueOptions {
  lane: Batcher;
  monotonic: () => number;
  /** The refusal of every command while the backend does not serve; null while it does. */
  absence: () => LockyardError | null;
  /** Gives back a grant whose caller already received `UNKNOWN`. */
  takeBack: (key: RecordKey, token: number) => void;
}

/** What a command came to. */
export interface CommandResult {
  answer: unknown;
  /** Whether this very command changed the record; a replay did not. */
  changed: boolean;
}

/** Where commands come in: each is answered once, and in time whatever its store does. */
export class CommandQueue {
  private readonly deadlines: Deadlines;

  constructor(private readonly parts: CommandQueueOptions) {
    this.deadlines = new Deadlines(parts.monotonic, ({ refuse }) =>
      refuse(parts.absence() ?? backendDown(null)),
    );
  }

  /** When the budget of a command that comes now is over, on the monotonic clock. */
  dueAt(): number {
    return this.parts.monotonic() + BUDGET_MS;
  }

  submit(key: RecordKey, command: AnyCommand, dueAt = this.dueAt()): Promise<CommandResult> {
    const refusal = this.parts.absence();
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const progress = { isAnswered: false, mayBeApplied: false };
      const finish = () => {
        const wasAnswered = progress.isAnswered;
        progress.isAnswered = true;
        this.deadlines.answered(watched);
        return wasAnswered;
      };
      const pending: PendingCommand = {
        key,
        id: recordId(key),
        command,
        dueAt,
        mustRead: false,
        progress,
        answer: (answer, changed) => {
          if (!finish()) resolve({ answer, changed });
          else if (changed) this.revertIfGranted(key, command, answer);
        },
        refuse: (error) => {
          finish();
          reject(progress.mayBeApplied ? unknownIfDenied(error) : error);
        },
      };
      const watched = this.deadlines.watch(pending);
      this.parts.lane.submit(pending);
    });
  }

  /**
   * A grant that came after its caller was answered. One that has a request id may still be asked
   * for.
   */
  private revertIfGranted(key: RecordKey, command: AnyCommand, answer: unknown): void {
    if (command.verb !== 'acquire' || command.request.remembered) return;
    const { outcome, token } = answer as { outcome: string; token: number };
    if (outcome === 'granted') this.parts.takeBack(key, token);
  }
}
