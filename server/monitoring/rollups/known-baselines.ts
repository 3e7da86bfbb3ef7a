import type { OwnHold } from '../../contract/console/insight-row';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { RecordEvent } from '../../core/record-event';
import type { LockNorms } from '../../core/status/stuck-reason';
import type { RecordKey } from '../../storage/record-store';

/**
 * The baselines, as this process knows them, by which locks are called stuck. Keyed by the locks'
 * ids on the board.
 */
export class KnownNorms {
  private readonly gaveUpAt = new Map<string, number>();

  constructor(
    private readonly policyOf: (namespace: string) => NamespacePolicy,
    private readonly ownHoldOf: (id: string) => OwnHold | null,
  ) {}

  /**
   * Takes note of waiters whose patience ran out; what was before this process followed the history
   * is not known.
   */
  note(id: string, events: readonly RecordEvent[]): void {
    for (const { kind, at } of events) {
      if (kind === 'timeout') this.gaveUpAt.set(id, Math.max(at, this.gaveUpAt.get(id) ?? 0));
    }
  }

  of(id: string, { namespace }: RecordKey): LockNorms {
    return {
      ownHold: this.ownHoldOf(id),
      gaveUpAt: this.gaveUpAt.get(id) ?? 0,
      policy: this.policyOf(namespace),
    };
  }

  drop(id: string): void {
    this.gaveUpAt.delete(id);
  }
}
