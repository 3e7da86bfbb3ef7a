import type { BackendHealth } from '../../contract/console/backend-health';
import { figuresOf, oldestOf } from '../../contract/console/waits/holder-figures';
import {
  type HoldersPage,
  PROCESS_LOCKS_SHOWN,
  PROCESSES_SHOWN,
  type ProcessDetail,
  type ProcessRow,
} from '../../contract/console/waits/holder-rows';
import { LockyardError } from '../../contract/errors';
import { sumOf } from '../../core/waits/head-blockers';
import type { LockWaits, OpenWait, WaitState } from '../../core/waits/wait-state';
import type { Clock } from '../../platform/clock';
import type { HolderEvidence } from '../liveness/holder-evidence';
import type { LockTable } from '../lock-list/table/lock-table';
import { type BackendState, publicHealths } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { TopN } from '../projection/top-n';
import { SharedReadings } from '../shared-readings';
import { heldLock, processWait } from './held-lock';
import { HolderIndex, type HolderProcess } from './holder-index';
import { isFound } from './holder-search';
import { clearest, shifted } from './process-verdict';
import type { WaitWatch } from './wait-watch';

/** For how long a page is shared by all that request it. */
const PAGE_FOR_MS = 1_000;
/** How many locks of one process are examined closely: those unchanged for longest. */
const SAMPLED_MAX = 100;
/** And how many of those changed last, which include the last renewals. */
const LATEST_MAX = 10;
/** How many locks are searched for the oldest hold of a process, and for its own page. */
const SEARCHED_MAX = 2_000;
const OWNERS_SHOWN = 3;
const WAITS_SHOWN = 2;

interface HolderViewOptions {
  table: LockTable;
  backends: readonly BackendState[];
  clock: Clock;
  waits: WaitWatch;
  evidence: Pick<HolderEvidence, 'verdictOn' | 'hasDeaths'>;
  lockDelayMsOf: (namespace: string) => number;
  statusOf: (row: ProjectionRow) => ProcessDetail['locks'][number]['status'];
}

/** How a process takes part in waits. */
interface Part {
  /** Its locks with waiters. */
  locks: Set<LockWaits>;
  waits: OpenWait[];
}

/** By the id of the backend or shard. */
type Healths = ReadonlyMap<string, BackendHealth>;

const NO_PART: Part = { locks: new Set(), waits: [] };

/**
 * The holders of locks, by process. A page is made at most once a second for all viewers with the
 * same search.
 */
export class HolderView {
  private readonly index: HolderIndex;
  /** By search. */
  private readonly pages: SharedReadings<HoldersPage>;

  constructor(private readonly parts: HolderViewOptions) {
    this.index = new HolderIndex(parts.table);
    this.pages = new SharedReadings(parts.clock, PAGE_FOR_MS);
  }

  /** @param search a text that finds processes; empty lists all */
  page(search = ''): Promise<HoldersPage> {
    return this.pages.get(search, () => this.makePage(search));
  }

  /** @throws LockyardError `NOT_FOUND` for a process that neither holds a lock nor waits for one */
  async process(id: string): Promise<ProcessDetail> {
    const { table, clock, backends, statusOf, waits, lockDelayMsOf } = this.parts;
    await this.index.follow();
    const holder = this.index.processes.get(id);
    const part = this.partsByProcess(await waits.state()).get(id) ?? NO_PART;
    if (!holder && part.waits.length === 0) {
      throw new LockyardError('NOT_FOUND', 'This process holds no lock any more.');
    }
    const contended = [...part.locks].flatMap((lock) => table.byId(lock.id) ?? []);
    const slots = [...first(holder?.slots.keys() ?? [], SEARCHED_MAX)];
    const rows = new Set([...contended, ...slots.flatMap((slot) => table.at(slot) ?? [])]);
    const locks = [...rows].flatMap((row) => {
      const facts = { status: statusOf(row), delayMs: lockDelayMsOf(row.key.namespace) };
      return this.index.holdsOf(id, row.record).map((hold) => heldLock(row, hold, facts));
    });
    locks.sort((a, b) => b.waiters - a.waiters || a.grantedAt - b.grantedAt);
    return {
      row: this.rowOf(id, part, this.healths(), holder),
      locks: locks.slice(0, PROCESS_LOCKS_SHOWN),
      waits: part.waits.map((wait) => processWait(wait, table.byId(wait.lock.id))),
      backends: publicHealths(backends),
      asOf: clock.now(),
    };
  }

  private async makePage(search: string): Promise<HoldersPage> {
    const { clock, backends, waits } = this.parts;
    const sought = search.toLowerCase();
    await this.index.follow();
    const state = await waits.state();
    const parts = this.partsByProcess(state);
    const { processes, services } = this.index;
    const found = [...parts].filter(([id, { waits: own }]) =>
      isFound(sought, processes.get(id), own),
    );
    const involved = found
      .map(([id, part]) => ({ id, part, weight: this.blockingOf(part).ms }))
      .sort((a, b) => b.weight - a.weight || b.part.waits.length - a.part.waits.length)
      .slice(0, PROCESSES_SHOWN);
    const others = await this.largest(PROCESSES_SHOWN - involved.length, sought, parts);
    const healths = this.healths();
    const rows = [
      ...involved.map(({ id, part }) => this.rowOf(id, part, healths, processes.get(id))),
      ...others.items.map((process) => this.rowOf(process.id, NO_PART, healths, process)),
    ];
    const named = [...new Set(rows.map(({ service }) => service))];
    const figures = search === '' ? figuresOf(rows) : (await this.page()).figures;
    return {
      search,
      rows,
      figures,
      found: found.length + others.found,
      services: named.map((service) => ({
        service,
        ...(services.get(service) ?? { processes: 0, holds: 0 }),
      })),
      processes: processes.size,
      holds: this.index.holds,
      waiting: state.locks.reduce((sum, { queue }) => sum + queue.length, 0),
      blockingMs: waits.blockingMs,
      backends: publicHealths(backends),
      asOf: clock.now(),
    };
  }

  /**
   * The first of the found processes that take no part in waits: dead ones, then those with the
   * most holds. `found`: how many there are.
   */
  private async largest(
    count: number,
    sought: string,
    parts: ReadonlyMap<string, Part>,
  ): Promise<{ items: HolderProcess[]; found: number }> {
    type Ranked = { process: HolderProcess; isDead: boolean };
    const rank = (a: Ranked, b: Ranked) =>
      Number(b.isDead) - Number(a.isDead) || b.process.holds - a.process.holds;
    const most = new TopN<Ranked>(count, rank);
    const healths = this.healths();
    let found = 0;
    await this.parts.table.slice().forEach(this.index.processes.values(), (process) => {
      if (parts.has(process.id) || !isFound(sought, process, [])) return;
      found += 1;
      if (count > 0) most.add({ process, isDead: this.isDead(process, healths) });
    });
    return { items: most.items.map(({ process }) => process), found };
  }

  /** Whether a process is proven dead, by the first of its holds. */
  private isDead({ id, slots }: HolderProcess, healths: Healths): boolean {
    const { evidence, table, clock } = this.parts;
    const [slot] = evidence.hasDeaths ? slots.keys() : [];
    const row = slot === undefined ? null : table.at(slot);
    const [hold] = row ? this.index.holdsOf(id, row.record) : [];
    if (!row || !hold) return false;
    const now = clock.now() + (healths.get(row.backend)?.clockOffsetMs ?? 0);
    return evidence.verdictOn(row.id, hold, now).state === 'dead';
  }

  /** Processes that keep others waiting, or wait. A wait belongs to its owner's only process. */
  private partsByProcess({ parties }: WaitState): Map<string, Part> {
    const parts = new Map<string, Part>();
    const partOf = (id: string): Part => {
      const known = parts.get(id) ?? { locks: new Set(), waits: [] };
      parts.set(id, known);
      return known;
    };
    for (const { service, owner, holds, waits } of parties.values()) {
      const ids = new Set(holds.map(({ hold }) => this.index.idOf(hold)));
      for (const { lock, hold } of holds) {
        if (lock.queue.length > 0) partOf(this.index.idOf(hold)).locks.add(lock);
      }
      const [id] = ids;
      const isKnown = id !== undefined && ids.size === 1;
      const own = isKnown ? id : this.processOfOwner(service, owner);
      if (waits.length > 0) partOf(own).waits.push(...waits);
    }
    return parts;
  }

  private blockingOf({ locks }: Part) {
    return sumOf(locks, (lock) => this.parts.waits.blockingOf(lock));
  }

  /** The process of an owner that holds no lock with waiters. */
  private processOfOwner(service: string, owner: string): string {
    const named = this.index.ofOwner(service, owner);
    return named ?? this.index.idOf({ service, owner, meta: {} });
  }

  /** Some of the locks of a process, in the order of their changes, and the one granted first. */
  private sampleOf({ slots }: HolderProcess): ProjectionRow[] {
    const { table } = this.parts;
    const { grantedAt } = table.columns;
    const searched = [...first(slots.keys(), SEARCHED_MAX)];
    const grantOf = (slot: number) => grantedAt[slot] as number;
    const oldest = searched.reduce((a, b) => (grantOf(b) < grantOf(a) ? b : a), searched[0] ?? -1);
    const sampled = [...searched.slice(0, SAMPLED_MAX), ...searched.slice(-LATEST_MAX), oldest];
    return [...new Set(sampled)].flatMap((slot) => table.at(slot) ?? []);
  }

  private healths(): Healths {
    return new Map(this.parts.backends.map(({ id, engine }) => [id, engine.health()]));
  }

  private rowOf(id: string, part: Part, healths: Healths, holder?: HolderProcess): ProcessRow {
    const { waits, table, clock, evidence } = this.parts;
    const { waits: own } = part;
    const blocking = this.blockingOf(part);
    const names = holder ? [...first(holder.owners.keys(), OWNERS_SHOWN)] : [];
    const owners = names.length > 0 ? names : [own[0]?.party.owner ?? ''];
    const { host, pid, version } = holder?.meta ?? {};
    const sampled = holder ? this.sampleOf(holder) : [];
    const isSilent = ({ backend }: ProjectionRow) => healths.get(backend)?.reachable === false;
    const holds = sampled.flatMap((row) => {
      const { clockOffsetMs: offsetMs = 0 } = healths.get(row.backend) ?? {};
      const now = clock.now() + offsetMs;
      const knownUntil = isSilent(row) ? table.reads.of(row) - offsetMs : null;
      return this.index.holdsOf(id, row.record).map((hold) => ({
        oldest: { grantedAt: hold.grantedAt - offsetMs, knownUntil },
        renewedAt: hold.renewals > 0 ? hold.renewedAt - offsetMs : null,
        verdict: shifted(evidence.verdictOn(row.id, hold, now), -offsetMs),
      }));
    });
    const renewals = holds.flatMap(({ renewedAt }) => renewedAt ?? []);
    const silent = sampled.filter(isSilent);
    return {
      id,
      service: holder?.service ?? own[0]?.party.service ?? '',
      owners,
      ownerCount: holder?.owners.size ?? 1,
      host: host ?? null,
      pid: pid ?? null,
      version: version ?? null,
      holds: holder?.holds ?? 0,
      blocked: blocking.callers,
      blockingMs: blocking.ms,
      waitsFor: own.slice(0, WAITS_SHOWN).flatMap(({ lock, waiter }) => {
        const row = table.byId(lock.id);
        if (!row) return [];
        const { namespace, name } = row.key;
        const since = waiter.enqueuedAt - lock.offsetMs;
        return { namespace, name, backend: row.publicBackend, since };
      }),
      waits: own.length,
      oldest: oldestOf(holds.map(({ oldest }) => oldest)),
      renewedAt: renewals.length > 0 ? Math.max(...renewals) : null,
      verdict: clearest(holds.map(({ verdict }) => verdict)),
      inDeadlock: own.some((wait) => waits.isInDeadlock(wait)),
      silentBackends: [...new Set(silent.map(({ publicBackend }) => publicBackend))],
      places: placesOf([...sampled, ...own.flatMap(({ lock }) => table.byId(lock.id) ?? [])]),
    };
  }
}

function placesOf(rows: readonly ProjectionRow[]): ProcessRow['places'] {
  const places = new Map(
    rows.map(({ key: { namespace }, publicBackend: backend }) => [
      `${namespace} ${backend}`,
      { namespace, backend },
    ]),
  );
  return [...places.values()];
}

function* first<T>(items: Iterable<T>, most: number): Generator<T> {
  let i = 0;
  for (const item of items) {
    if (i >= most) return;
    i += 1;
    yield item;
  }
}
