import {
  type ChosenNames,
  DELETED_AT_ONCE,
  type DeletionPreview,
  type DeletionResult,
} from '../../contract/console/deletion-inputs';
import { lockDeletion, type RetentionReason } from '../../core/deletion/deletion';
import { backendDown, unknownOutcome } from '../../engine/refusals';
import type { Clock } from '../../platform/clock';
import { type RecordKey, StoreError } from '../../storage/record-store';
import type { LockProjection } from '../projection/lock-projection';
import {
  locateStore,
  type MonitoredBackend,
  notServing,
  publicId,
} from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { type DeletionOutcome, deleteReadRecords, evaluateRecords } from './delete-records';

/** Records read from a store at a time. */
const READ_AT_ONCE = 200;

/** Locks that are evaluated between two checks of the clock. */
const EVALUATED_AT_ONCE = 64;

/** How many names are shown for each kind of outcome of a prefix, and of those that go. */
const EXAMPLES = 5;

/** A record, and the backend or shard that keeps it. */
interface LocatedRecord {
  backend: MonitoredBackend;
  key: RecordKey;
}

/** A record, and why it must be kept, as last read; null: it need not. */
interface EvaluatedRecord extends LocatedRecord {
  keptBecause: RetentionReason | null;
}

/** How much a deletion may do, and where its results go. */
interface DeletionRun {
  /** The most names to delete; never more than `DELETED_AT_ONCE`. */
  atMost: number;
  /** Called with the results of each step, even if a later step fails. */
  onResults(results: DeletionResult[]): void;
  /** Checked before each step; true: the rest is left. */
  isTimeUp(): boolean;
  /** Checked while names with a prefix are searched for; true: those found are deleted. */
  isSearchOver?: () => boolean;
}

/** Deletes locks and counters that people choose, where nothing keeps them: see `lockDeletion`. */
export class NameDeletion {
  constructor(
    private readonly backends: MonitoredBackend[],
    private readonly projection: LockProjection,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /**
   * Which of the chosen names would be deleted and which would be kept: locks as the projection
   * last read them, counters as they are in the store.
   *
   * @param backend the id, as users know it, of the backend of the namespace
   * @throws LockyardError `BACKEND_DOWN` if it does not answer
   */
  async preview(backend: string, chosen: ChosenNames): Promise<DeletionPreview> {
    const going: string[] = [];
    const kept = new Map<RetentionReason, { count: number; examples: string[] }>();
    let [matching, goingCount] = [0, 0];
    const count = ({ key, keptBecause }: EvaluatedRecord) => {
      matching += 1;
      if (keptBecause === null) {
        goingCount += 1;
        if (going.length < EXAMPLES) going.push(key.name);
        return;
      }
      const group = kept.get(keptBecause) ?? { count: 0, examples: [] };
      kept.set(keptBecause, group);
      group.count += 1;
      if (chosen.names || group.examples.length < EXAMPLES) group.examples.push(key.name);
    };
    for await (const batch of this.evaluate(backend, chosen)) batch.forEach(count);
    const reasons = [...kept].map(([because, group]) => ({ because, ...group }));
    reasons.sort((a, b) => b.count - a.count);
    return { matching, going: goingCount, examples: going, kept: reasons };
  }

  /**
   * Deletes the chosen names. Each is read and evaluated again, and deleted only if it has not
   * changed since it was read.
   *
   * @returns whether there may be more that can be deleted
   * @throws LockyardError `BACKEND_DOWN` if the backend does not answer, `UNKNOWN` if it stops
   *   answering: any of the names may be deleted
   */
  async delete(backend: string, chosen: ChosenNames, run: DeletionRun): Promise<boolean> {
    const most = Math.min(run.atMost, DELETED_AT_ONCE);
    const found: LocatedRecord[] = [];
    const rest = new Map((chosen.names ?? []).map((name) => [name, gone(name)]));
    let isWhole = true;
    const take = ({ keptBecause, ...one }: EvaluatedRecord) => {
      const { name } = one.key;
      if (keptBecause !== null) {
        if (chosen.names) rest.set(name, { name, outcome: 'kept', because: keptBecause });
        return;
      }
      rest.delete(name);
      isWhole = found.length < most;
      if (isWhole) found.push(one);
    };
    for await (const batch of this.evaluate(backend, chosen)) {
      batch.forEach(take);
      if (chosen.names) continue;
      if (found.length > 0 && run.isSearchOver?.()) isWhole = false;
      if (!isWhole) break;
    }
    const isTried = await this.deleteFound(found, run);
    run.onResults([...rest.values()]);
    return !(isTried && isWhole);
  }

  /** @returns false: the time was up before all had been tried */
  private async deleteFound(
    found: LocatedRecord[],
    { onResults, isTimeUp }: Pick<DeletionRun, 'onResults' | 'isTimeUp'>,
  ): Promise<boolean> {
    for (const [keeper, keys] of byStore(found)) {
      for (let i = 0; i < keys.length; i += READ_AT_ONCE) {
        if (isTimeUp()) return false;
        const batch = keys.slice(i, i + READ_AT_ONCE);
        const { records } = await keeper.store.read(batch, []).catch(throwBackendDown);
        const fates = await deleteReadRecords(keeper, records, 0).catch(throwUnknownOutcome);
        const isOff = ({ outcome }: DeletionOutcome) => outcome === 'deleted' || outcome === 'gone';
        const removed = fates.filter(isOff).map(({ key }) => key);
        this.projection.remove(keeper, removed);
        onResults(fates.map(resultOf));
      }
    }
    return true;
  }

  /** Evaluates the chosen names, in batches. */
  private async *evaluate(id: string, chosen: ChosenNames): AsyncGenerator<EvaluatedRecord[]> {
    const keepers = this.reachableStores(id);
    if (chosen.names || chosen.kind === 'counter') yield* this.evaluateStored(id, chosen);
    else yield* this.evaluateProjectedLocks(keepers, chosen.namespace, chosen.prefix ?? '');
  }

  /** The backend, or all shards of it. */
  private reachableStores(id: string): MonitoredBackend[] {
    const keepers = this.backends.filter((backend) => publicId(backend) === id);
    const out = keepers.map(({ engine }) => engine.health()).filter((each) => !each.reachable);
    if (keepers.length > 0 && out.length === 0) return keepers;
    const refusal = out.find((health) => health.refusal)?.refusal ?? null;
    throw notServing({ id, refusal }, 'so nothing can be deleted on it.');
  }

  /** Locks with a prefix, as the projection last read them. In slices: there can be a million. */
  private async *evaluateProjectedLocks(
    keepers: MonitoredBackend[],
    namespace: string,
    prefix: string,
  ): AsyncGenerator<EvaluatedRecord[]> {
    const { projection, clock } = this;
    const byId = new Map(keepers.map((backend) => [backend.id, backend]));
    const rows: ProjectionRow[] = [];
    const slice = projection.table.slice();
    await slice.forEach(projection.table.all(), (row) => {
      const { namespace: itsNamespace, name } = row.key;
      const isChosen = itsNamespace === namespace && name.startsWith(prefix);
      if (isChosen && byId.has(row.backend)) rows.push(row);
    });
    const evaluate = ({ backend: id, key, record, isReadable }: ProjectionRow) => {
      const backend = byId.get(id);
      if (!backend) return [];
      const now = clock.now() + backend.engine.health().clockOffsetMs;
      const { keptBecause } = lockDeletion(record, backend.epochOf(), now);
      return [{ backend, key, keptBecause: isReadable ? keptBecause : ('unreadable' as const) }];
    };
    for (let i = 0; i < rows.length; i += EVALUATED_AT_ONCE) {
      yield rows.slice(i, i + EVALUATED_AT_ONCE).flatMap(evaluate);
      if (slice.isOver) await slice.pause();
    }
  }

  /** Names chosen one by one, and counters, as they are in the store. */
  private async *evaluateStored(
    id: string,
    chosen: ChosenNames,
  ): AsyncGenerator<EvaluatedRecord[]> {
    for (const [backend, theirs] of byStore(await this.locate(id, chosen))) {
      for (let i = 0; i < theirs.length; i += READ_AT_ONCE) {
        const batch = theirs.slice(i, i + READ_AT_ONCE);
        const evaluated = await evaluateRecords(backend, batch).catch(throwBackendDown);
        yield evaluated.map((one) => ({ backend, ...one }));
      }
    }
  }

  private async locate(id: string, chosen: ChosenNames): Promise<LocatedRecord[]> {
    const { projection, backends } = this;
    const { namespace, names, prefix = '' } = chosen;
    const found: LocatedRecord[] = [];
    const keys = names ? namedKeys(chosen, names) : counterKeys(projection);
    await projection.table.slice().forEach(keys, (key) => {
      const isChosen = names || (key.namespace === namespace && key.name.startsWith(prefix));
      const backend = isChosen && locateStore(backends, id, key);
      if (backend) found.push({ backend, key });
    });
    return found;
  }
}

function* namedKeys({ namespace, kind }: ChosenNames, names: string[]): Generator<RecordKey> {
  for (const name of new Set(names)) {
    yield kind === 'counter' ? { namespace, name, kind } : { namespace, name };
  }
}

function* counterKeys({ counters }: LockProjection): Generator<RecordKey> {
  for (const { key } of counters.names()) yield key;
}

const gone = (name: string): DeletionResult => ({ name, outcome: 'gone' });

/** Reports a failed read to the caller. */
function throwBackendDown(cause: unknown): never {
  throw cause instanceof StoreError ? backendDown(cause) : cause;
}

/** Reports a failed deletion, never as having changed nothing: part of it may be done. */
function throwUnknownOutcome(cause: unknown): never {
  throw cause instanceof StoreError ? unknownOutcome(cause) : cause;
}

function byStore(all: LocatedRecord[]): Map<MonitoredBackend, RecordKey[]> {
  const keys = new Map<MonitoredBackend, RecordKey[]>();
  for (const { backend, key } of all) {
    const theirs = keys.get(backend) ?? [];
    keys.set(backend, theirs);
    theirs.push(key);
  }
  return keys;
}

function resultOf(fate: DeletionOutcome): DeletionResult {
  const { name } = fate.key;
  if (fate.outcome === 'kept') return { name, outcome: 'kept', because: fate.because };
  return { name, outcome: fate.outcome };
}
