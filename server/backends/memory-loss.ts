import type { LossKind } from '../domain/backend-loss';
import type { LifeRow } from './backend-life';

/** What a store holds of its own memory. */
export interface SeenMemory {
  /** The life that its mark names; null where it has none. */
  life: string | null;
  /** The last sign of life in it. */
  beat: number;
  hasRecords: boolean;
}

/**
 * What the control database knows that a store does not know any more; null where they agree.
 *
 * @param row read before the store was looked at: a beat is written to the store first
 */
export function memoryLoss(row: LifeRow, { life, beat, hasRecords }: SeenMemory): LossKind | null {
  if (row.life === null) return life !== null || hasRecords ? 'stranger' : null;
  if (life === null) return 'empty';
  if (life !== row.life) return 'stranger';
  return beat < row.beat ? 'older' : null;
}
