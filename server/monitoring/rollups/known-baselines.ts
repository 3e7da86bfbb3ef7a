import type { HoldBaseline } from '../../contract/console/insight-row';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { RecordEvent } from '../../core/record-event';
import type { LockBaselines } from '../../core/status/stuck-reason';
import type { RecordKey } from '../../storage/record-store';

/**
 * The baselines, as this process knows them, by which locks are called stuck. Keyed by the locks'
 * ids on the board.
 */
export class KnownBaselines {
  private readonly timedOutAt = new Map<string, number>();

  constructor(
    private readonly policyOf: (namespace: string) => NamespacePolicy,
    private readonly baselineOf: (id: string) => HoldBaseline | null,
  ) {}

  /**
   * Takes note of waiters whose patience ran out; what was before this process followed the history
   * is not known.
   */
  note(id: string, events: readonly RecordEvent[]): void {
    for (const { kind, at } of events) {
      if (kind === 'timeout') this.timedOutAt.set(id, Math.max(at, this.timedOutAt.get(id) ?? 0));
    }
  }

  of(id: string, { namespace }: RecordKey): LockBaselines {
    return {
      ownHold: this.baselineOf(id),
      gaveUpAt: this.timedOutAt.get(id) ?? 0,
      policy: this.policyOf(namespace),
    };
  }

  remove(id: string): void {
    this.timedOutAt.delete(id);
  }
}
