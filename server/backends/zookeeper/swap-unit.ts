import type { Memo } from '../../domain/decision';
import { recordId } from '../record-id';
import type { Change, StoredRecord } from '../record-store';
import { commonWindow, isWithin, mayBeLate, type Window } from './judged-text';
import type { Known, KnownZnodes } from './known-znodes';
import type { Step } from './wire-calls';
import { memoData, recordData } from './znode-texts';
import type { ZookeeperLayout } from './zookeeper-layout';

/** No znode, as far as is known. */
export const ABSENT = { version: null, stands: null };

/** Changes that take all or none, and the window in which they all count. */
export interface SwapUnit {
  changes: Change[];
  ids: string[];
  window: Window;
  /** What its records were when they were found to be as the changes expect: the versions that may be written over. */
  seen: Known<StoredRecord>[];
}

export function swapUnit(changes: Change[]): SwapUnit {
  return {
    seen: [],
    changes,
    ids: changes.map(({ key }) => recordId(key)),
    window: commonWindow(changes.map(({ clock }) => clock)),
  };
}

/** Keys of the answers that it writes or makes live longer. */
export function memoKeysOf({ changes }: SwapUnit): string[] {
  return changes.flatMap(({ memos, extensions }) => [
    ...memos.map(({ key }) => key),
    ...extensions.flatMap(({ keys }) => keys),
  ]);
}

/** A step, what to do where ZooKeeper refused it, and what to note once it was taken at an instant. */
export interface NotedStep {
  step: Step;
  forget(): void;
  note(version: number, writtenAt: number): void;
}

/** Whether a record of it must be made anew, since its version ends: then the generation rises with it. */
export function renews({ seen }: SwapUnit, lastVersion: number): boolean {
  return seen.some(({ version }) => version === lastVersion);
}

/** The steps that write the unit's records and answers over what is known of them. */
export function stepsOf(
  unit: SwapUnit,
  layout: ZookeeperLayout,
  znodes: KnownZnodes,
  lastVersion: number,
): NotedStep[] {
  const records = unit.changes.flatMap((change, i) => {
    const id = unit.ids[i] ?? '';
    const seen = unit.seen[i] ?? ABSENT;
    const { rev, writer, head } = change;
    const next = { rev, writer, head, queue: change.queue ?? seen.stands?.queue ?? '' };
    const data = recordData(unit.window, next, seen.stands);
    const version = seen.version === lastVersion ? { last: lastVersion } : seen.version;
    return writes(layout.record(id), data, version, {
      forget: () => znodes.dropRecord(id),
      note: (version, at) => znodes.noteRecord(id, judged(unit.window, next, seen, version, at)),
    });
  });
  return [...records, ...memoSteps(unit, layout, znodes)];
}

function memoSteps(unit: SwapUnit, layout: ZookeeperLayout, znodes: KnownZnodes): NotedStep[] {
  const next = new Map<string, Memo>();
  for (const { memos, extensions } of unit.changes) {
    for (const memo of memos) next.set(memo.key, memo);
    for (const { keys, expiresAt } of extensions) {
      for (const key of keys) {
        const memo = next.get(key) ?? znodes.memo(key)?.stands;
        if (memo && memo.expiresAt < expiresAt) next.set(key, { ...memo, expiresAt });
      }
    }
  }
  return [...next].flatMap(([key, memo]) => {
    const seen = znodes.memo(key) ?? ABSENT;
    const data = memoData(unit.window, memo, seen.stands);
    return writes(layout.memo(key), data, seen.version, {
      forget: () => znodes.dropMemo(key),
      note: (version, at) => znodes.noteMemo(key, judged(unit.window, memo, seen, version, at)),
    });
  });
}

/** @param version of what is written over; `last` of what must be made anew; null where nothing is there */
function writes(
  path: string,
  data: Buffer,
  version: number | { last: number } | null,
  tell: Pick<NotedStep, 'forget' | 'note'>,
): NotedStep[] {
  if (typeof version === 'number') return [{ step: { kind: 'set', path, data, version }, ...tell }];
  const create: NotedStep = { step: { kind: 'create', path, data }, ...tell };
  if (version === null) return [create];
  const removal: Step = { kind: 'delete', path, version: version.last };
  return [{ step: removal, forget: tell.forget, note: () => {} }, create];
}

function judged<T extends StoredRecord | Memo>(
  window: Window,
  written: T,
  before: Known<T>,
  version: number,
  writtenAt: number,
): Known<T> {
  const counts = !mayBeLate(window) || isWithin(window, writtenAt);
  return { version, stands: counts ? written : before.stands };
}
