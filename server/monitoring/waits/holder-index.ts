import type { Meta } from '../../contract/primitives';
import { type Hold, isReleased, type LockRecord } from '../../core/lock/lock-record';
import { partyKey } from '../../core/party';
import { namedProcess } from '../../core/waits/wait-state';
import type { LockTable } from '../lock-list/table/lock-table';
import { shortId } from './short-id';

/** A process, and the slots of the locks that it holds. */
export interface HolderProcess {
  id: string;
  service: string;
  meta: Meta;
  /** How many holds each of its owners has. */
  owners: Map<string, number>;
  /** How many holds it has of the lock in each slot: several if it shares one with itself. */
  slots: Map<number, number>;
  holds: number;
}

/**
 * Which process holds which locks. Follows the table only on demand: the first `follow` reads every
 * lock, in slices; each further one reads what has changed since.
 */
export class HolderIndex {
  readonly processes = new Map<string, HolderProcess>();
  readonly services = new Map<string, { processes: number; holds: number }>();
  /** By service and owner: the ids of its processes, and how many holds each has by that owner. */
  private readonly owners = new Map<string, Map<string, number>>();
  private readonly entries = new Map<number, { key: string; owner: string }[]>();
  /** The ids of processes that hold a lock, by key. */
  private readonly ids = new Map<string, string>();
  private version: number | null = null;
  private following: Promise<void> | null = null;

  constructor(
    private readonly table: Pick<
      LockTable,
      'refresh' | 'slice' | 'log' | 'columns' | 'at' | 'slotsEnd'
    >,
  ) {}

  get holds(): number {
    let sum = 0;
    for (const { holds } of this.services.values()) sum += holds;
    return sum;
  }

  /** The id of the process that a hold belongs to. */
  idOf(hold: Pick<Hold, 'service' | 'owner' | 'meta'>): string {
    return this.idOfKey(keyOf(hold));
  }

  /** The holds of a lock that a process has and has not released. */
  holdsOf(id: string, { holds }: Pick<LockRecord, 'holds'>): Hold[] {
    return holds.filter((hold) => !isReleased(hold) && this.idOf(hold) === id);
  }

  /**
   * The id of the one process in which this owner holds locks; null if there is none or several.
   */
  ofOwner(service: string, owner: string): string | null {
    const ids = [...(this.owners.get(partyKey({ service, owner }))?.keys() ?? [])];
    return ids.length === 1 ? (ids[0] ?? null) : null;
  }

  /** Reads what has changed in the table since the last call. */
  follow(): Promise<void> {
    this.following ??= this.followNow().finally(() => {
      this.following = null;
    });
    return this.following;
  }

  private async followNow(): Promise<void> {
    const { table, version } = this;
    await table.refresh();
    const { log, columns } = table;
    const end = log.end;
    if (version !== null && log.reaches(version)) {
      await table.slice().forEach(log.since(version, columns.versions), (slot) => this.read(slot));
    } else {
      this.clear();
      await table.slice().times(table.slotsEnd, (slot) => this.read(slot));
    }
    this.version = end;
  }

  private clear(): void {
    this.processes.clear();
    this.services.clear();
    this.owners.clear();
    this.entries.clear();
    this.ids.clear();
  }

  private read(slot: number): void {
    for (const { key, owner } of this.entries.get(slot) ?? []) this.remove(slot, key, owner);
    const holds = this.table.at(slot)?.record.holds.filter((hold) => !isReleased(hold)) ?? [];
    if (holds.length === 0) {
      this.entries.delete(slot);
      return;
    }
    this.entries.set(
      slot,
      holds.map((hold) => this.add(slot, hold)),
    );
  }

  private add(slot: number, hold: Hold): { key: string; owner: string } {
    const { service, owner, meta } = hold;
    const key = keyOf(hold);
    const id = this.idOfKey(key);
    this.ids.set(key, id);
    const known = this.processes.get(id);
    const all = this.services.get(service) ?? { processes: 0, holds: 0 };
    this.services.set(service, all);
    if (!known) all.processes += 1;
    const process = known ?? { id, service, meta, owners: new Map(), slots: new Map(), holds: 0 };
    this.processes.set(id, process);
    count(process.owners, owner, 1);
    const party = partyKey({ service, owner });
    const ids = this.owners.get(party) ?? new Map<string, number>();
    count(ids, id, 1);
    this.owners.set(party, ids);
    count(process.slots, slot, 1);
    process.holds += 1;
    all.holds += 1;
    return { key, owner };
  }

  private remove(slot: number, key: string, owner: string): void {
    const id = this.idOfKey(key);
    const process = this.processes.get(id);
    const all = process && this.services.get(process.service);
    if (!process || !all) return;
    count(process.owners, owner, -1);
    const party = partyKey({ service: process.service, owner });
    const ids = this.owners.get(party);
    if (ids) count(ids, id, -1);
    if (ids?.size === 0) this.owners.delete(party);
    count(process.slots, slot, -1);
    process.holds -= 1;
    all.holds -= 1;
    if (process.holds > 0) return;
    this.processes.delete(id);
    this.ids.delete(key);
    all.processes -= 1;
    if (all.processes === 0) this.services.delete(process.service);
  }

  private idOfKey(key: string): string {
    return this.ids.get(key) ?? shortId(key);
  }
}

/** The process that a hold names, or its owner if it names none. */
function keyOf({ service, owner, meta }: Pick<Hold, 'service' | 'owner' | 'meta'>): string {
  const process = namedProcess({ meta });
  return process === '' ? `${service}\0\0${owner}` : `${service}\0${process}`;
}

function count<K>(counts: Map<K, number>, key: K, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
