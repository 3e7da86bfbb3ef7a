import type { Memo } from '../../core/decision';
import { recordId } from '../record-id';
import type { Change } from '../record-store';
import { ANY_VERSION, type Step } from './client/wire-calls';
import type { ZookeeperLimits } from './client/zookeeper-limits';
import { ABSENT, type Known, type KnownRecord, NO_RECORD } from './read-znodes';
import { commonWindow, isWithin, mayBeLate, type Window } from './windowed-codec';
import type { KnownZnodes } from './znode-cache';
import { memoData, recordData } from './znode-codec';
import type { ZookeeperLayout } from './zookeeper-layout';

/** Changes that are applied all or none, and the window in which they all count. */
export interface SwapUnit {
  changes: Change[];
  ids: string[];
  window: Window;
  /**
   * Its records when they were found to match the expectations: these versions may be overwritten.
   */
  seen: KnownRecord[];
}

export function swapUnit(changes: Change[]): SwapUnit {
  return {
    seen: [],
    changes,
    ids: changes.map(({ key }) => recordId(key)),
    window: commonWindow(changes.map(({ clock }) => clock)),
  };
}

/** Keys of the answers that it writes or extends. */
export function memoKeysOf({ changes }: SwapUnit): string[] {
  return changes.flatMap(({ memos, extensions }) => [
    ...memos.map(({ key }) => key),
    ...extensions.flatMap(({ keys }) => keys),
  ]);
}

/**
 * A step, what to do if ZooKeeper refused it, and what to note once it was applied at an instant.
 */
export interface NotedStep {
  step: Step;
  forget(): void;
  note(version: number, writtenAt: number): void;
}

/**
 * Whether one of its records must be recreated because its version number has reached the limit:
 * then the generation rises too.
 */
export function renews({ seen }: SwapUnit, lastVersion: number): boolean {
  return seen.some(({ version }) => version === lastVersion);
}

/** The steps that write the unit's records and answers over the known versions. */
export function stepsOf(
  unit: SwapUnit,
  layout: ZookeeperLayout,
  znodes: KnownZnodes,
  limits: ZookeeperLimits,
): NotedStep[] {
  const records = unit.changes.flatMap((change, i) => {
    const seen = unit.seen[i] ?? NO_RECORD;
    return recordSteps(
      { change, id: unit.ids[i] ?? '', seen, window: unit.window },
      layout,
      znodes,
      limits,
    );
  });
  return [...records, ...memoSteps(unit, layout, znodes)];
}

interface RecordWrite {
  change: Change;
  id: string;
  seen: KnownRecord;
  window: Window;
}

/** A long queue that is unchanged stays where it is: then only its record is written. */
function recordSteps(
  { change, id, seen, window }: RecordWrite,
  layout: ZookeeperLayout,
  znodes: KnownZnodes,
  { lastVersion, charsOfQueue }: ZookeeperLimits,
): NotedStep[] {
  const { rev, writer, head } = change;
  const { stands } = seen;
  const queue = change.queue ?? stands?.queue ?? '';
  const own = queue.length > charsOfQueue ? `${rev}-${base64url(writer)}` : null;
  const queueIn = stands && queue === stands.queue ? seen.queueIn : own;
  const next = { rev, writer, head, queue };
  const before = stands && { record: stands, queueIn: seen.queueIn };
  const data = recordData(window, { record: next, queueIn }, before);

  const queues = new Map<string, string>();
  if (stands && mayBeLate(window) && seen.queueIn !== null) queues.set(seen.queueIn, stands.queue);
  if (queueIn !== null) queues.set(queueIn, queue);
  const children = [...queues.keys()];
  const isAnew = seen.version === lastVersion;
  const gone = isAnew ? seen.children : seen.children.filter((name) => !queues.has(name));
  const added = isAnew ? children : children.filter((name) => !seen.children.includes(name));

  const forget = () => znodes.dropRecord(id);
  const plain = (step: Step): NotedStep => ({ step, forget, note: () => {} });
  const remove = (name: string) =>
    plain({ kind: 'delete', path: layout.queue(id, name), version: ANY_VERSION });
  const add = (name: string) =>
    plain({
      kind: 'create',
      path: layout.queue(id, name),
      data: Buffer.from(queues.get(name) ?? ''),
    });
  const note = (version: number, at: number) =>
    znodes.noteRecord(id, {
      ...judged(window, next, seen, version, at),
      queueIn: counts(window, at) ? queueIn : seen.queueIn,
      children,
    });
  const version = isAnew ? { last: lastVersion } : seen.version;
  const written = writes(layout.record(id), data, version, { forget, note });
  return [...gone.map(remove), ...written, ...added.map(add)];
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

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

/** @param version the version to overwrite; `last`: recreate the znode; null: there is none */
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

function judged<T>(
  window: Window,
  written: T,
  before: Known<T>,
  version: number,
  writtenAt: number,
): Known<T> {
  return { version, stands: counts(window, writtenAt) ? written : before.stands };
}

const counts = (window: Window, writtenAt: number): boolean =>
  !mayBeLate(window) || isWithin(window, writtenAt);
