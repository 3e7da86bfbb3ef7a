import type { LockFrame, LockListMessage } from '../domain/lock-list-message';
import type { LockPage, LockRow } from '../domain/lock-row';

/** What brings a reader of one page of the lock list to a later one of the same view. */
export function pageChanges(before: LockPage, now: LockPage): LockListMessage {
  const old = new Map(before.rows.map((row) => [row.id, row]));
  const rows = now.rows.filter((row) => !isSame(old.get(row.id), row));
  const isInOrder =
    before.rows.length === now.rows.length &&
    before.rows.every(({ id }, place) => id === now.rows[place]?.id);
  return {
    kind: 'changes',
    rows,
    ...(isInOrder ? {} : { order: now.rows.map(({ id }) => id) }),
    offset: now.offset,
    frame: frameChanges(before, now),
    asOf: now.asOf,
  };
}

function frameChanges({ rows: _, ...before }: LockPage, { rows: __, ...now }: LockPage) {
  const changed = (Object.keys(now) as (keyof LockFrame)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]),
  );
  return Object.fromEntries(changed.map((key) => [key, now[key]])) as Partial<LockFrame>;
}

const isSame = (a: LockRow | undefined, b: LockRow) =>
  a !== undefined && JSON.stringify(a) === JSON.stringify(b);
