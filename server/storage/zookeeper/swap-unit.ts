import type { IdempotencyRecord } from '../../core/decision';
import { recordId } from '../record-id';
import type { Change } from '../record-store';
import { ANY_VERSION, type Step } from './client/wire-calls';
import { ABSENT, type KnownRecordZnode, type KnownZnode, NO_RECORD } from './read-znodes';
import { commonWindow, isWithin, mayBeLate, type Window } from './windowed-codec';
import type { ZnodeCache } from './znode-cache';
import { encodeAnswerZnode, encodeRecordZnode, type RecordAndQueue } from './znode-codec';
import type { ZookeeperLayout, ZookeeperLimits } from './zookeeper-layout';

/** Changes that are applied all or none, and the window in which they all count. */
export interface SwapUnit {
  changes: Change[];
  ids: string[];
  /** Keys of the answers that it writes or extends. */
  answerKeys: string[];
  window: Window;
  /** Its records when they matched the expectations: these versions may be overwritten. */
  seen: KnownRecordZnode[];
}

export function swapUnit(changes: Change[]): SwapUnit {
  return {
    seen: [],
    changes,
    ids: changes.map(({ key }) => recordId(key)),
    answerKeys: changes.flatMap(({ storedAnswers, extensions }) => [
      ...storedAnswers.map(({ key }) => key),
      ...extensions.flatMap(({ keys }) => keys),
    ]),
    window: commonWindow(changes.map(({ clock }) => clock)),
  };
}

/** A step, what to do if ZooKeeper refused it, and what to note once it was applied. */
export interface TrackedStep {
  step: Step;
  dropCached(): void;
  cacheWritten(version: number, writtenAt: number): void;
}

/** Whether a record must be recreated since its version is at the limit: that ends a generation. */
export function mustRecreate({ seen }: SwapUnit, lastVersion: number): boolean {
  return seen.some(({ version }) => version === lastVersion);
}

/** The steps that write the unit's records and answers over the known versions. */
export function swapSteps(
  unit: SwapUnit,
  layout: ZookeeperLayout,
  cache: ZnodeCache,
  limits: ZookeeperLimits,
): TrackedStep[] {
  const records = unit.changes.flatMap((change, i) => {
    const seen = unit.seen[i] ?? NO_RECORD;
    return recordSteps(
      { change, id: unit.ids[i] ?? '', seen, window: unit.window },
      layout,
      cache,
      limits,
    );
  });
  return unit.answerKeys.length > 0 ? [...records, ...answerSteps(unit, layout, cache)] : records;
}

interface RecordWrite {
  change: Change;
  id: string;
  seen: KnownRecordZnode;
  window: Window;
}

/** A long queue that is unchanged stays where it is: then only its record is written. */
function recordSteps(
  { change, id, seen, window }: RecordWrite,
  layout: ZookeeperLayout,
  cache: ZnodeCache,
  { lastVersion, inlineQueueChars }: ZookeeperLimits,
): TrackedStep[] {
  const { rev, writer, head } = change;
  const { content } = seen;
  const queue = change.queue ?? content?.queue ?? '';
  const own = queue.length > inlineQueueChars ? `${rev}-${base64url(writer)}` : null;
  const queueIn = content && queue === content.queue ? seen.queueIn : own;
  const next = { rev, writer, head, queue };
  const before = content && { record: content, queueIn: seen.queueIn };
  const data = encodeRecordZnode(window, { record: next, queueIn }, before);

  const hasChildren = queueIn !== null || seen.children.length > 0;
  const queues = hasChildren ? queuesNamed(window, { record: next, queueIn }, before) : NO_QUEUES;
  const children = hasChildren ? [...queues.keys()] : NO_CHILDREN;
  const isRecreated = seen.version === lastVersion;
  const dropCached = () => cache.dropRecord(id);
  const cacheWritten = (version: number, at: number) => {
    const known = isInTime(window, at) ? { content: next, queueIn } : seen;
    cache.noteRecord(id, { version, content: known.content, queueIn: known.queueIn, children });
  };
  const version = isRecreated ? { last: lastVersion } : seen.version;
  const written = writeSteps(layout.record(id), data, version, { dropCached, cacheWritten });
  if (!hasChildren) return written;

  const gone = isRecreated ? seen.children : seen.children.filter((name) => !queues.has(name));
  const added = isRecreated ? children : children.filter((name) => !seen.children.includes(name));
  const plain = (step: Step): TrackedStep => ({ step, dropCached, cacheWritten: () => {} });
  const remove = (name: string) =>
    plain({ kind: 'delete', path: layout.queue(id, name), version: ANY_VERSION });
  const add = (name: string) =>
    plain({ kind: 'create', path: layout.queue(id, name), data: queues.get(name) ?? '' });
  return [...gone.map(remove), ...written, ...added.map(add)];
}

const NO_QUEUES: ReadonlyMap<string, string> = new Map();
const NO_CHILDREN: string[] = [];

/** The queues that such a znode names instead of holding them. */
function queuesNamed(
  window: Window,
  written: RecordAndQueue,
  before: RecordAndQueue | null,
): ReadonlyMap<string, string> {
  const queues = new Map<string, string>();
  const stored = before && mayBeLate(window) ? [before, written] : [written];
  for (const { record, queueIn } of stored) {
    if (queueIn !== null) queues.set(queueIn, record.queue);
  }
  return queues;
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

function answerSteps(unit: SwapUnit, layout: ZookeeperLayout, cache: ZnodeCache): TrackedStep[] {
  const next = new Map<string, IdempotencyRecord>();
  for (const { storedAnswers, extensions } of unit.changes) {
    for (const storedAnswer of storedAnswers) next.set(storedAnswer.key, storedAnswer);
    for (const { keys, expiresAt } of extensions) {
      for (const key of keys) {
        const storedAnswer = next.get(key) ?? cache.answer(key)?.content;
        if (storedAnswer && storedAnswer.expiresAt < expiresAt)
          next.set(key, { ...storedAnswer, expiresAt });
      }
    }
  }
  return [...next].flatMap(([key, storedAnswer]) => {
    const seen = cache.answer(key) ?? ABSENT;
    const data = encodeAnswerZnode(unit.window, storedAnswer, seen.content);
    return writeSteps(layout.answer(key), data, seen.version, {
      dropCached: () => cache.dropAnswer(key),
      cacheWritten: (version, at) =>
        cache.noteAnswer(key, znodeAfter(unit.window, storedAnswer, seen, version, at)),
    });
  });
}

/** @param version the version to overwrite; `last`: recreate the znode; null: there is none */
function writeSteps(
  path: string,
  data: string,
  version: number | { last: number } | null,
  tracking: Pick<TrackedStep, 'dropCached' | 'cacheWritten'>,
): TrackedStep[] {
  if (typeof version === 'number')
    return [{ step: { kind: 'set', path, data, version }, ...tracking }];
  const create: TrackedStep = { step: { kind: 'create', path, data }, ...tracking };
  if (version === null) return [create];
  const removal: Step = { kind: 'delete', path, version: version.last };
  return [{ step: removal, dropCached: tracking.dropCached, cacheWritten: () => {} }, create];
}

function znodeAfter<T>(
  window: Window,
  written: T,
  before: KnownZnode<T>,
  version: number,
  writtenAt: number,
): KnownZnode<T> {
  return { version, content: isInTime(window, writtenAt) ? written : before.content };
}

const isInTime = (window: Window, writtenAt: number): boolean =>
  !mayBeLate(window) || isWithin(window, writtenAt);
