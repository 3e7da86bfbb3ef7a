import type { MultiLockGranted } from '../../contract/multi-lock';
import type { MultiLockAnswer, MultiLockCommand } from '../../core/multi-lock/multi-lock-command';
import type { RequestIdentity } from '../../core/request-fingerprint';
import type { RecordKey } from '../../storage/record-store';
import type { CommandQueue } from '../command-queue';
import type { AnyCommand } from '../record-type';
import { isTransient, isWorthRepeating } from '../refusals';

/**
 * Undoes grants that no caller received: reverts them, or keeps them briefly if their request can
 * be repeated. An undo that failed is repeated by `repeatFailed`.
 */
export class UnreceivedGrants {
  /** Run a failed undo again. */
  private failed: (() => Promise<void>)[] = [];

  constructor(private readonly commands: Pick<CommandQueue, 'run' | 'submitMultiLock'>) {}

  /**
   * Undoes a grant; never rejects. `repeatFailed` repeats an undo that failed, unless it may have
   * been applied: a second one could remove another entry of a re-entered hold.
   *
   * @param isRepeated whether it is repeated after this failure
   */
  async undo(run: () => Promise<unknown>, isRepeated = isWorthRepeating): Promise<void> {
    await run().catch((error) => {
      if (isRepeated(error)) this.failed.push(() => this.undo(run, isRepeated));
    });
  }

  /** Begins to run the failed undos again. */
  repeatFailed(): void {
    const { failed } = this;
    this.failed = [];
    for (const repeat of failed) void repeat();
  }

  /**
   * Keeps a grant only as long as a place in a queue, since its request can be repeated. A second
   * attempt shortens nothing more, so one in doubt is repeated too.
   *
   * @param isRefused its caller was refused: then it is not kept at all
   */
  keepBriefly(key: RecordKey, request: RequestIdentity, isRefused = false): Promise<void> {
    const detach = { verb: 'detach', request, hungUp: true, isRefused } as const;
    return this.undo(() => this.commands.run(key, detach), isTransient);
  }

  /** Reverts a grant, now or with a later `repeatFailed`. */
  revert(key: RecordKey, token: number): void {
    void this.undo(() => this.commands.run(key, { verb: 'revertGrant', token }));
  }

  /** Reverts the grant of all locks of a multi-lock, once: rejects if that fails. */
  async revertMultiLock(
    namespace: string,
    { grants }: MultiLockGranted,
    { request }: Pick<MultiLockCommand, 'request'>,
    dueAt?: number,
  ): Promise<void> {
    const holds = grants.map(({ name, token }) => ({ name, token }));
    await this.commands.submitMultiLock(namespace, { verb: 'revertSet', holds, request }, dueAt);
  }

  /** Reverts what a refused command was answered, unless a repeat of its request can claim it. */
  revertAnswer(key: RecordKey, command: AnyCommand, answer: unknown): void {
    if (command.verb !== 'acquire' || command.request.remembered) return;
    const { outcome, token } = answer as { outcome: string; token: number };
    if (outcome === 'granted') this.revert(key, token);
  }

  /** `revertAnswer` for a multi-lock. */
  revertMultiLockAnswer(
    namespace: string,
    command: MultiLockCommand,
    answer: MultiLockAnswer,
  ): void {
    if (command.request.remembered || answer.outcome !== 'granted') return;
    void this.undo(() => this.revertMultiLock(namespace, answer, command));
  }
}
