import type { DepartedWaiter, LockRecord, Waiter } from '../../core/lock/lock-record';

/** Waiters refer to services and processes by index: each waiter then takes under 160 bytes. */
type QueueText = [
  services: string[],
  processes: string[],
  since: number,
  waiters: WaiterTuple[],
  /** Absent if there are none. An older version drops them. */
  departed?: DepartedTuple[],
];

type DepartedTuple = [
  tag: string,
  enqueuedAfterMs: number,
  patienceMs: number,
  untilAfterMs: number,
  /** Absent where an older version wrote it. */
  ownerMark?: string,
];

/** The ticket of a shared waiter is stored as a negative number. */
type WaiterTuple = [
  ticket: number,
  service: number,
  owner: string,
  tag: string,
  process: number,
  enqueuedAfterMs: number,
  patienceMs: number,
  detachedAfterMs?: number | null,
  /** 0 for a single lock. */
  setSize?: number,
  /** Makes it a waiter in mode permit. */
  permits?: number,
];

/** The index of a word in a list; a new word is added to the list. */
function indexIn(words: string[], word: string): number {
  const index = words.indexOf(word);
  return index >= 0 ? index : words.push(word) - 1;
}

/** Empty if there are neither waiters nor departed ones. */
export function encodeQueue({ queue, departed }: Pick<LockRecord, 'queue' | 'departed'>): string {
  const first = queue[0] ?? departed[0];
  if (!first) return '';
  const since = first.enqueuedAt;
  const services: string[] = [];
  const processes: string[] = [];
  const waiters = queue.map((waiter): WaiterTuple => {
    const service = indexIn(services, waiter.service);
    const process = indexIn(processes, waiter.process);
    const { ticket, owner, tag, enqueuedAt, patienceMs, detachedUntil, permits } = waiter;
    const setSize = waiter.setSize ?? (permits === undefined ? undefined : 0);
    const tuple: WaiterTuple = [
      waiter.mode === 'shared' ? -ticket : ticket,
      service,
      owner,
      tag,
      process,
      enqueuedAt - since,
      patienceMs,
    ];
    if (detachedUntil !== null || setSize !== undefined) {
      tuple.push(detachedUntil === null ? null : detachedUntil - since);
    }
    if (setSize !== undefined) tuple.push(setSize);
    if (permits !== undefined) tuple.push(permits);
    return tuple;
  });
  const text: QueueText = [services, processes, since, waiters];
  if (departed.length > 0) text.push(departed.map((waiter) => encodeDeparted(waiter, since)));
  return JSON.stringify(text);
}

function encodeDeparted(
  { tag, enqueuedAt, patienceMs, until, ownerMark }: DepartedWaiter,
  since: number,
): DepartedTuple {
  const tuple: DepartedTuple = [tag, enqueuedAt - since, patienceMs, until - since];
  if (ownerMark !== undefined) tuple.push(ownerMark);
  return tuple;
}

export function decodeQueue(text: string): Pick<LockRecord, 'departed'> & { waiters: Waiter[] } {
  if (text === '') return { waiters: [], departed: [] };
  const [services, processes, since, tuples, departed = []] = JSON.parse(text) as QueueText;
  const waiters = tuples.map((tuple) => {
    const [ticket, service, owner, tag, process, enqueuedAfterMs, patienceMs] = tuple;
    const [, , , , , , , detached, setSize = 0, permits] = tuple;
    return {
      ticket: Math.abs(ticket),
      mode: permits === undefined ? modeOf(ticket) : ('permit' as const),
      ...(permits === undefined ? {} : { permits }),
      service: services[service] ?? '',
      owner,
      tag,
      process: processes[process] ?? '',
      enqueuedAt: since + enqueuedAfterMs,
      patienceMs,
      detachedUntil: detached == null ? null : since + detached,
      ...(setSize > 0 ? { setSize } : {}),
    };
  });
  return {
    waiters,
    departed: departed.map(([tag, enqueuedAfterMs, patienceMs, untilAfterMs, ownerMark]) => ({
      tag,
      enqueuedAt: since + enqueuedAfterMs,
      patienceMs,
      until: since + untilAfterMs,
      ...(ownerMark === undefined ? {} : { ownerMark }),
    })),
  };
}

const modeOf = (ticket: number) => (ticket < 0 ? ('shared' as const) : ('exclusive' as const));
