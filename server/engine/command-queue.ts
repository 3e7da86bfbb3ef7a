import type { LockyardError } from '../contract/errors';
import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { Lane } from './commit/batcher';
import { Overdue } from './deadlines';
import type { PendingCommand } from './pending-command';
import type { AnyCommand } from './record-type';
import { backendDown, inDoubt } from './refusals';

/**
 * Time in which a command may begin a packet. With what that packet takes, its caller hears within
 * 5 s.
 */
const BUDGET_MS = 3_500;

export interface IntakeParts {
  lane: Lane;
  monotonic: () => number;
  /** The refusal of every command while the backend does not serve; null while it does. */
  absence: () => LockyardError | null;
  /** Gives back a grant whose caller already received `UNKNOWN`. */
  takeBack: (key: RecordKey, token: number) => void;
}

/** What a command came to. */
export interface Result {
  answer: unknown;
  /** Whether this very command changed the record; a replay did not. */
  changed: boolean;
}

/** Where commands come in: each is answered once, and in time whatever its store does. */
export class CommandIntake {
  private readonly overdue: Overdue;

  constructor(private readonly parts: IntakeParts) {
    this.overdue = new Overdue(parts.monotonic, ({ refuse }) =>
      refuse(parts.absence() ?? backendDown(null)),
    );
  }

  /** When the budget of a command that comes now is over, on the monotonic clock. */
  dueAt(): number {
    return this.parts.monotonic() + BUDGET_MS;
  }

  submit(key: RecordKey, command: AnyCommand, dueAt = this.dueAt()): Promise<Result> {
    const absence = this.parts.absence();
    if (absence) return Promise.reject(absence);
    return new Promise((resolve, reject) => {
      const progress = { over: false, mayStand: false };
      const end = () => {
        const wasOver = progress.over;
        progress.over = true;
        this.overdue.answered(watched);
        return wasOver;
      };
      const pending: PendingCommand = {
        key,
        id: recordId(key),
        command,
        dueAt,
        mustRead: false,
        progress,
        answer: (answer, changed) => {
          if (!end()) resolve({ answer, changed });
          else if (changed) this.takeBack(key, command, answer);
        },
        refuse: (error) => {
          end();
          reject(progress.mayStand ? inDoubt(error) : error);
        },
      };
      const watched = this.overdue.watch(pending);
      this.parts.lane.submit(pending);
    });
  }

  /**
   * A grant that came after its caller was answered. One that has a request id may still be asked
   * for.
   */
  private takeBack(key: RecordKey, command: AnyCommand, answer: unknown): void {
    if (command.verb !== 'acquire' || command.request.remembered) return;
    const { outcome, token } = answer as { outcome: string; token: number };
    if (outcome === 'granted') this.parts.takeBack(key, token);
  }
}
