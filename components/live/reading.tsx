'use client';

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import {
  type BackendHealth,
  outageText,
  type Refusing,
  type StoreRefusal,
} from '@/server/contract/console/backend-health';
import { ageText, displayedMs } from '../format/durations';
import {
  ageOf,
  backendAgeMs,
  backendNow,
  type ClockOf,
  createReadingStore,
  lastAnswerAt,
  outageNote,
  type Reading,
  type ReadingStore,
  runOnMs,
  STALE_AFTER_MS,
  type StoreObstacle,
  silenceMs,
  storeObstacle,
  storeRefusal,
} from './reading-store';

const NO_READING = createReadingStore({ asOf: 0, receivedAt: null, backends: [] });
const ReadingContext = createContext<ReadingStore>(NO_READING);

/** Provides the reading of what is drawn inside. A new one redraws only what it changes. */
export function ReadingProvider({ reading, children }: { reading: Reading; children: ReactNode }) {
  const [store] = useState(() => createReadingStore(reading));
  useLayoutEffect(() => {
    store.set(reading, performance.now());
    stepEarly();
  }, [store, reading]);
  return <ReadingContext.Provider value={store}>{children}</ReadingContext.Provider>;
}

/** The reading of what a page follows live. `data` names its backends, or its only one. */
export function useLiveReading(
  data: { asOf: number } & ({ backends: readonly BackendHealth[] } | { backend: BackendHealth }),
  { receivedAt, refusal }: Required<Pick<Reading, 'receivedAt' | 'refusal'>>,
): Reading {
  return useMemo(() => {
    const backends = 'backend' in data ? [data.backend] : data.backends;
    return { asOf: data.asOf, receivedAt, backends, refusal };
  }, [data, receivedAt, refusal]);
}

/** The reading as it is when asked for; it does not redraw anything. */
export function useReadingStore(): ReadingStore {
  return useContext(ReadingContext);
}

type Primitive = string | number | boolean | null;

/** A primitive of the reading and the page's clock; redraws only when that primitive changes. */
function useFromReading<T extends Primitive>(
  select: (reading: Reading, nowMs: number | null) => T,
): T {
  const store = useReadingStore();
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = [store.subscribe(listener), onTick(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [store],
  );
  return useSyncExternalStore(
    subscribe,
    () => select(store.get(), lastTickMs()),
    () => select(store.get(), null),
  );
}

/**
 * A primitive that depends on a store's clock, its silence, its last answer, and how and why it
 * refuses to serve; once the reading is stale, all are as of that reading.
 */
export function useAtBackend<T extends Primitive>(
  of: ClockOf,
  select: (now: number, silentMs: number, lastAnswerAt: number, refusal: StoreRefusal | null) => T,
): T {
  return useFromReading((reading, nowMs) =>
    select(
      backendNow(reading, of, nowMs),
      silenceMs(reading, of, nowMs),
      lastAnswerAt(reading, of),
      storeRefusal(reading, of),
    ),
  );
}

/** A primitive that depends on how old what is shown of a backend is, in milliseconds. */
export function useBackendAge<T extends Primitive>(
  backend: string,
  select: (ageMs: number) => T,
): T {
  return useFromReading((reading, nowMs) => select(backendAgeMs(reading, backend, nowMs)));
}

/** A primitive that depends on several clocks. */
export function useAtEachBackend<T extends Primitive>(
  select: (nowOf: (of: ClockOf) => number) => T,
): T {
  return useFromReading((reading, nowMs) => select((of) => backendNow(reading, of, nowMs)));
}

/** A primitive that depends on how old the reading is, in milliseconds. */
export function useAged<T extends Primitive>(select: (ageMs: number) => T): T {
  return useFromReading((reading, nowMs) => select(ageOf(reading, nowMs)));
}

/**
 * The total blocking time of callers in milliseconds, as exact as it is displayed, from a reading
 * of this age; it runs on until the reading is stale.
 */
export const displayedBlockingMs = (blockingMs: number, callers: number, ageMs: number): number =>
  displayedMs(blockingMs + callers * runOnMs(ageMs));

/** The same for the reading of the page. */
export function useBlockingMs(blockingMs: number, callers: number): number {
  return useAged((ageMs) => displayedBlockingMs(blockingMs, callers, ageMs));
}

/** How many backends the data on the page is from. */
export function useReadBackends(): number {
  return useFromReading(({ backends }) => backends.length);
}

/** See {@link outageNote}. */
export function useOutageNote(): string {
  return useFromReading(({ backends }) => outageNote(backends));
}

/** Why a store refuses to serve; see {@link storeRefusal}. */
export const useStoreRefusal = (of: ClockOf): string | null =>
  useFromReading((reading) => storeRefusal(reading, of)?.reason ?? null);

/** How a store refuses to serve; see {@link storeRefusal}. */
export const useRefusing = (of: ClockOf): Refusing | null =>
  useFromReading((reading) => storeRefusal(reading, of)?.outage ?? null);

/** See {@link storeObstacle}. */
export const useStoreObstacle = (of: ClockOf): StoreObstacle | null =>
  useFromReading((reading) => storeObstacle(reading, of));

/** How a backend fails to serve, or how backends do, as {@link outageText} says it. */
export const useOutageText = (ids: readonly string[]): string =>
  useFromReading(({ backends }) => outageText(ids, backends));

/** Why the server refuses to send newer data; null: it does not, or no server answers. */
export const useRefusal = (): string | null => useFromReading(({ refusal = null }) => refusal);

export function useIsStale(): boolean {
  return useAged((ageMs) => ageMs > STALE_AFTER_MS);
}

/** How old the reading is, as the end of a line; empty until it is stale. */
export function useStaleAge(): string {
  return useAged((ageMs) => (ageMs > STALE_AFTER_MS ? `last update ${ageText(ageMs)} ago` : ''));
}

/** How often the one timer of the page goes off: countdowns run in steps of a second. */
const STEP_MS = 1_000;

/** A reading this late in a step starts the next step early, so that the page is drawn once. */
const STEP_MIN_MS = 700;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let nowMs: number | null = null;

function step() {
  nowMs = performance.now();
  for (const listener of listeners) listener();
}

function start() {
  if (timer !== null || document.hidden) return;
  step();
  timer = setInterval(step, STEP_MS);
}

/** Starts a step early that is due soon, for a new reading; the next is a whole step later. */
function stepEarly() {
  if (timer === null || performance.now() - (nowMs ?? 0) < STEP_MIN_MS) return;
  clearInterval(timer);
  step();
  timer = setInterval(step, STEP_MS);
}

function stop() {
  if (timer !== null) clearInterval(timer);
  timer = null;
}

function onVisibility() {
  if (document.hidden) stop();
  else start();
}

/** The monotonic clock at the last step, in milliseconds; null before the page runs. */
const lastTickMs = (): number | null => nowMs;

/** Calls back at every step of the page's one timer, which stops while the tab is hidden. */
export function onTick(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', onVisibility);
  listeners.add(listener);
  start();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', onVisibility);
    stop();
  };
}
