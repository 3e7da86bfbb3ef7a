import type { LockRow } from '../../contract/console/lock-row';
import type { RecordEvent } from '../../core/record-event';
import type { GaveUp, LockBaselines } from '../../core/status/stuck-reason';
import type { RecordKey } from '../../storage/record-store';
import type { HolderEvidence } from '../liveness/holder-evidence';
import type { NamespaceLookup } from '../projection/monitored-backend';
import type { KnownRefusals } from '../refusals/known-refusals';
import type { HoldBaselines } from './hold-baselines';

/** The baselines, as this process knows them, by which locks count as stuck; by row id. */
export class KnownBaselines {
  private readonly gaveUp = new Map<string, GaveUp>();

  constructor(
    private readonly namespaces: Pick<NamespaceLookup, 'policyOf'>,
    private readonly holds: Pick<HoldBaselines, 'of' | 'ofNamespace'>,
    private readonly refusals: Pick<KnownRefusals, 'of' | 'remove'>,
    private readonly evidence: Pick<HolderEvidence, 'hasDeaths' | 'reportsOn'>,
  ) {}

  /** Notes waiters that timed out; see `EarlierTimeouts` for those before this process began. */
  note(id: string, events: readonly Pick<RecordEvent, 'kind' | keyof GaveUp>[]): void {
    for (const { kind, at, rev } of events) {
      if (kind === 'timeout' && rev >= (this.gaveUp.get(id)?.rev ?? 0)) {
        this.gaveUp.set(id, { at, rev });
      }
    }
  }

  of(id: string, { namespace }: RecordKey): LockBaselines {
    return {
      ownHold: this.holds.of(id),
      gaveUp: this.gaveUp.get(id) ?? null,
      refusals: this.refusals.of(id),
      policy: this.namespaces.policyOf(namespace),
      ...(this.evidence.hasDeaths && { reportsOn: (hold) => this.evidence.reportsOn(id, hold) }),
    };
  }

  /** Adds the baseline of the namespace to a held lock without one of its own. */
  complete(row: LockRow): LockRow {
    if (row.ownHold || !row.hold) return row;
    const namespaceHold = this.holds.ofNamespace(row.namespace);
    return namespaceHold ? { ...row, namespaceHold } : row;
  }

  remove(id: string): void {
    this.gaveUp.delete(id);
    this.refusals.remove(id);
  }
}
