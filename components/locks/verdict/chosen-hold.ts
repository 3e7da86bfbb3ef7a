import type { HoldRow, LockDetail } from '@/server/contract/console/lock-row';

/**
 * The hold that a page shows: the one that was chosen, else one whose process is dead, since that
 * one needs an action, else the one of the row.
 */
export function chosenHold({ row, holds }: LockDetail, token: number | null): HoldRow | null {
  const withToken = (wanted: number | null | undefined) =>
    holds.find((hold) => hold.token === wanted);
  return withToken(token) ?? withToken(row.orphaned?.token) ?? row.hold;
}
