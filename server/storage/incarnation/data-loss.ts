import type { LossKind } from '../../contract/console/backend-loss';
import type { IncarnationRow } from './store-incarnation';

/** What a store knows of its own incarnation. */
export interface FoundIncarnation {
  /** The incarnation that its mark names; null without a mark. */
  life: string | null;
  /** The last heartbeat in it. */
  beat: number;
  hasRecords: boolean;
}

/**
 * What the control database knows and the store has lost; null if they agree.
 *
 * @param row read before the store was inspected: a heartbeat is written to the store first
 */
export function dataLoss(
  row: IncarnationRow,
  { life, beat, hasRecords }: FoundIncarnation,
): LossKind | null {
  if (row.life === null) return life !== null || hasRecords ? 'stranger' : null;
  if (life === null) return 'empty';
  if (life !== row.life) return 'stranger';
  return beat < row.beat ? 'older' : null;
}
