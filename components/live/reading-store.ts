import {
  type BackendHealth,
  clockOffsetOfKeeper,
  healthOfKeeper,
  type Outage,
  outagesOf,
  REFUSING_CLAUSES,
  type RecordKeeper,
  type Refusing,
  type StoreRefusal,
} from '@/server/contract/console/backend-health';
import { SECOND_MS } from '@/server/core/time-units';

/** When and by whose clock the data on a page was read. */
export interface Reading {
  /** The server's clock when it made the data, epoch milliseconds. */
  asOf: number;
  /** This page's monotonic clock when the data came; null during the server's first paint. */
  receivedAt: number | null;
  backends: readonly BackendHealth[];
  /** Why the server refuses to send newer data; null: it does not, or no server answers. */
  refusal?: string | null;
}

/** On data older than this, nothing runs on. */
export const STALE_AFTER_MS = 5_000;

/** The last reading, for components that draw something that depends on it and on time. */
export interface ReadingStore {
  get: () => Reading;
  /**
   * Notifies the listeners only if that cannot wait for the page's next step: the previous reading
   * was stale, or a backend has started or stopped responding.
   *
   * @param nowMs this page's monotonic clock
   */
  set: (reading: Reading, nowMs: number) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createReadingStore(first: Reading): ReadingStore {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (reading, nowMs) => {
      if (reading === current) return;
      const isUrgent = isNews(current, reading, nowMs);
      current = reading;
      if (isUrgent) for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isNews(before: Reading, after: Reading, nowMs: number): boolean {
  if (before.receivedAt === null || ageOf(before, nowMs) > STALE_AFTER_MS) return true;
  const known = new Map(before.backends.map((health) => [health.id, health.reachable]));
  return (
    known.size !== after.backends.length ||
    after.backends.some(({ id, reachable }) => known.get(id) !== reachable)
  );
}

/** How old a reading is at `nowMs` of the page's monotonic clock, in milliseconds. */
export function ageOf({ receivedAt }: Reading, nowMs: number | null): number {
  return receivedAt === null || nowMs === null ? 0 : Math.max(0, nowMs - receivedAt);
}

/** Whose clock is meant: that of the store that keeps a record; null: the server's. */
export type ClockOf = RecordKeeper | null;

/**
 * That clock: it runs on from the last reading, and once that is stale, it is the instant of the
 * reading again, since it is not known what has happened since then.
 */
export function backendNow(reading: Reading, of: ClockOf, nowMs: number | null): number {
  const offsetMs = of ? clockOffsetOfKeeper(reading.backends, of) : 0;
  return reading.asOf + offsetMs + runOnMs(ageOf(reading, nowMs));
}

/** How far what a reading of this age says may run on. */
export const runOnMs = (ageMs: number): number => (ageMs > STALE_AFTER_MS ? 0 : ageMs);

/** Which backends do not serve, and why not, such as `Not responding: orders.`; empty: all do. */
export function outageNote(backends: Reading['backends']): string {
  const having = (outage: Outage) => (health: BackendHealth) => outagesOf(health).includes(outage);
  return [
    listed('Not responding', backends, having('not responding')),
    listed('Rejecting requests', backends, having('rejecting requests')),
    listed('Disabled on this server', backends, having('disabled on this server')),
  ]
    .flat()
    .join(' ');
}

/** Whether a backend is being read for the first time since the server started. */
export const isUnread = ({ reachable, unreadForMs }: Reading['backends'][number]): boolean =>
  reachable && unreadForMs !== undefined;

/**
 * The ids of the backends that are being read for the first time, in one text, and for how long the
 * server has been doing so; null within its first second, in which most are read.
 */
export function longUnread(backends: Reading['backends']): { ids: string; forMs: number } | null {
  const unread = backends.filter(isUnread);
  const forMs = Math.max(0, ...unread.map(({ unreadForMs = 0 }) => unreadForMs));
  return forMs < SECOND_MS ? null : { ids: unread.map(({ id }) => id).join(', '), forMs };
}

/**
 * Why more may exist than a reading has, such as `Not responding: orders.`; empty: it has all.
 */
export function gapNote(backends: Reading['backends']): string {
  return [outageNote(backends), ...listed('Still being read', backends, isUnread)].join(' ').trim();
}

/** One sentence that names the backends of which something is true; none if it is of none. */
function listed(
  label: string,
  backends: Reading['backends'],
  isSo: (backend: BackendHealth) => boolean,
): string[] {
  const ids = backends.filter(isSo).map(({ id }) => id);
  return ids.length === 0 ? [] : [`${label}: ${ids.join(', ')}.`];
}

/** When a store last responded, by its own clock. */
export function lastAnswerAt({ asOf, backends }: Reading, of: ClockOf): number {
  const health = of && healthOfKeeper(backends, of);
  return asOf + (health?.clockOffsetMs ?? 0) - (health?.silentForMs ?? 0);
}

/** How long a store had not responded at the last reading, which runs on until that is stale. */
export function silenceMs(reading: Reading, of: ClockOf, nowMs: number | null): number {
  const health = of && healthOfKeeper(reading.backends, of);
  return (health?.silentForMs ?? 0) + runOnMs(ageOf(reading, nowMs));
}

/**
 * How and why a store refuses to serve, or all of its backend does; null: it serves, or does not
 * respond.
 */
export function storeRefusal(
  { backends }: Pick<Reading, 'backends'>,
  of: ClockOf,
): StoreRefusal | null {
  const whole = backends.find(({ id }) => id === of?.backend);
  const health = of && healthOfKeeper(backends, of);
  const refusing = [whole, health].find((each) => each?.reachable === false && each.refusal);
  if (!refusing?.refusal) return null;
  const isWhole = whole !== undefined && outagesOf(whole).includes('disabled on this server');
  const outage = isWhole ? 'disabled on this server' : 'rejecting requests';
  return { outage, reason: refusing.refusal };
}

/** Why nothing can be done at a store that may still be read, in a few words. */
export type StoreObstacle = `backend ${(typeof REFUSING_CLAUSES)[Refusing]}`;

/** Null: the store serves, or does not respond. See {@link storeRefusal}. */
export function storeObstacle(
  reading: Pick<Reading, 'backends'>,
  of: ClockOf,
): StoreObstacle | null {
  const refusal = storeRefusal(reading, of);
  return refusal && `backend ${REFUSING_CLAUSES[refusal.outage]}`;
}

/** How old what a page shows of a backend is, in milliseconds. */
export function backendAgeMs(reading: Reading, backend: string, nowMs: number | null): number {
  const health = reading.backends.find(({ id }) => id === backend);
  return (health?.silentForMs ?? 0) + ageOf(reading, nowMs);
}
