import { hash } from 'node:crypto';
import type { Meta } from '../../contract/primitives';
import { type Hold, isReleased } from '../../core/lock/lock-record';
import {
  type HostIdentity,
  hostKey,
  type ProcessIdentity,
  processKey,
  processOf,
} from '../../core/status/process-identity';
import type { ProjectionRow } from '../projection/projection-row';

/** A process that holds locks, or a hold that names a pod or CI run but no complete process. */
export interface Holder {
  /** The id under which its evidence is filed. */
  readonly id: string;
  readonly process: ProcessIdentity | null;
  /** The `meta` of one of its holds. */
  readonly meta: Meta;
  /** The service of that hold. */
  readonly service: string;
  /** The ids of the rows of the locks that it holds. */
  readonly rows: Set<string>;
}

/** The process that a `meta` names. */
interface Naming {
  process: ProcessIdentity | null;
  /** The key of the process; null if it is not named completely. */
  key: string | null;
  hasPodOrRun: boolean;
}

const DIGEST_CHARS = 22;
const NONE: ReadonlyMap<string, Hold> = new Map();

/** The processes that hold locks, as their holds name them. Kept up to date row by row. */
export class HolderIndex {
  private readonly holders = new Map<string, Holder>();
  private readonly byId = new Map<string, Holder>();
  /** By host, then by key. */
  private readonly hosts = new Map<string, Map<string, Holder>>();
  /** Most holds of one process share one object: see `RecordCompactor`. */
  private readonly namings = new WeakMap<Meta, Naming>();

  /** Applies the change of a row. `before` is null for a new lock, `after` for one that is gone. */
  replaced(before: ProjectionRow | null, after: ProjectionRow | null): void {
    if (before && after && this.isSameHolder(before, after)) return;
    const then = before ? this.keysOf(before) : NONE;
    const now = after ? this.keysOf(after) : NONE;
    if (before) for (const key of then.keys()) if (!now.has(key)) this.leave(key, before.id);
    if (after) for (const [key, hold] of now) this.enter(key, hold, after.id);
  }

  /** The holder that a hold names; null if it names none. */
  of(rowId: string, hold: Hold): Holder | null {
    const key = this.keyOf(rowId, hold);
    return key === null ? null : (this.holders.get(key) ?? newHolder(key, this.naming(hold), hold));
  }

  withId(id: string): Holder | undefined {
    return this.byId.get(id);
  }

  ofProcess(process: ProcessIdentity): Holder | undefined {
    return this.holders.get(processKey(process));
  }

  on(host: HostIdentity): Iterable<Holder> {
    return this.hosts.get(hostKey(host))?.values() ?? [];
  }

  all(): Iterable<Holder> {
    return this.holders.values();
  }

  private isSameHolder({ id, record: { holds } }: ProjectionRow, after: ProjectionRow): boolean {
    const next = after.record.holds;
    if (id !== after.id || holds.length > 1 || next.length > 1) return false;
    return this.keyOf(id, holds[0]) === this.keyOf(id, next[0]);
  }

  private keysOf({ id, record }: ProjectionRow): ReadonlyMap<string, Hold> {
    if (record.holds.length === 0) return NONE;
    const keys = new Map<string, Hold>();
    for (const hold of record.holds) {
      const key = this.keyOf(id, hold);
      if (key !== null) keys.set(key, hold);
    }
    return keys;
  }

  private keyOf(rowId: string, hold: Hold | undefined): string | null {
    if (!hold || isReleased(hold)) return null;
    const { key, hasPodOrRun } = this.naming(hold);
    return key ?? (hasPodOrRun ? `${rowId}\0${hold.token}` : null);
  }

  private naming({ meta }: Hold): Naming {
    const known = this.namings.get(meta);
    if (known) return known;
    const process = processOf(meta);
    const naming = {
      process,
      key: process && processKey(process),
      hasPodOrRun: Boolean(meta.pod || meta.ciRun),
    };
    this.namings.set(meta, naming);
    return naming;
  }

  private enter(key: string, hold: Hold, rowId: string): void {
    const known = this.holders.get(key);
    if (known) {
      known.rows.add(rowId);
      return;
    }
    const holder = newHolder(key, this.naming(hold), hold);
    holder.rows.add(rowId);
    this.holders.set(key, holder);
    this.byId.set(holder.id, holder);
    if (!holder.process) return;
    const host = hostKey(holder.process);
    const others = this.hosts.get(host) ?? new Map<string, Holder>();
    if (others.size === 0) this.hosts.set(host, others);
    others.set(key, holder);
  }

  private leave(key: string, rowId: string): void {
    const holder = this.holders.get(key);
    if (!holder) return;
    holder.rows.delete(rowId);
    if (holder.rows.size > 0) return;
    this.holders.delete(key);
    this.byId.delete(holder.id);
    if (!holder.process) return;
    const host = hostKey(holder.process);
    const others = this.hosts.get(host);
    others?.delete(key);
    if (others?.size === 0) this.hosts.delete(host);
  }
}

function newHolder(key: string, { process }: Naming, { meta, service }: Hold): Holder {
  const id = hash('sha256', key, 'base64url').slice(0, DIGEST_CHARS);
  return { id, process, meta, service, rows: new Set() };
}
