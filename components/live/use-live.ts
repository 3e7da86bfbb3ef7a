'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { reportBroken } from '../navigation/away';
import { usePastAt } from '../past/past-at';
import { problemOf } from './problem';
import { useSessionCheck } from './session';
import { useTabState } from './tab/tab-rest';

/** `live`: data flows. `connecting`: it will flow again as soon as the server answers. */
export type LinkState = 'live' | 'connecting';

export interface Live<T> {
  data: T;
  /** This page's monotonic clock when `data` came, or the first paint went live; null before. */
  receivedAt: number | null;
  link: LinkState;
  /** Why the server refuses to send data; null: it does not, or no server answers. */
  refusal: string | null;
  /** Reconnects immediately instead of waiting. */
  retry: () => void;
}

interface Handlers<M> {
  onData: (message: M) => void;
  onStarted: () => void;
  onConnectionStateChange: (state: { state: string; error: unknown }) => void;
  onError: (error: unknown) => void;
}

type Open<M> = (handlers: Handlers<M>) => { unsubscribe: () => void };

const RECONNECT_MIN_MS = 500;
const RECONNECT_MAX_MS = 4_000;

/**
 * Follows a subscription for as long as the component is mounted; not while its tab rests, nor
 * while the page shows the past, where `initial` is all the data. The last data stays while the
 * connection is down; it is reopened without limit, also across a restart of the server.
 *
 * @param key identifies what is read; when it changes, the old data stays until the new arrives
 * @param initial null: nothing is known before the first message
 * @param reduce computes the data after a message from the data before it; absent where each
 *   message is complete; must be the same function in every render
 * @param initialAt this page's monotonic clock when `initial` came; null: it is in the first paint
 */
export function useLive<T>(key: string, initial: T, open: Open<T>): Live<T>;
export function useLive<T, M>(
  key: string,
  initial: T,
  open: Open<M>,
  reduce: (before: T, message: M) => T,
  initialAt?: number | null,
): Live<T>;
export function useLive<T>(
  key: string,
  initial: T,
  open: Open<T>,
  reduce: (before: T, message: T) => T = (_, fresh) => fresh,
  initialAt: number | null = null,
): Live<T> {
  const [state, setState] = useState<Omit<Live<T>, 'retry'>>({
    data: initial,
    receivedAt: initialAt,
    link: 'connecting',
    refusal: null,
  });
  const [attempt, setAttempt] = useState(0);
  const isPast = usePastAt() !== null;
  const isResting = useTabState() === 'resting';
  const opener = useRef(open);
  const checkSession = useSessionCheck();
  useEffect(() => {
    opener.current = open;
  });
  // From now on the first paint ages, whether or not a message ever arrives.
  useEffect(() => {
    if (isPast) return;
    setState((old) => ({ ...old, receivedAt: old.receivedAt ?? performance.now() }));
  }, [isPast]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: key and attempt reopen the connection
  useEffect(() => {
    // The past does not change.
    if (isPast || isResting) return;
    return keepOpen<T>((handlers) => opener.current(handlers), {
      onData: (message) => {
        const receivedAt = performance.now();
        setState((old) => ({
          data: reduce(old.data, message),
          receivedAt,
          link: 'live',
          refusal: null,
        }));
      },
      onFailure: checkSession,
      setLink: (next, known) =>
        setState((old) => {
          const refusal = known === undefined ? old.refusal : known;
          // A stream that will be refused starts as well.
          const link = refusal === null ? next : 'connecting';
          return old.link === link && old.refusal === refusal ? old : { ...old, link, refusal };
        }),
    });
  }, [key, attempt, isPast, isResting]);

  const wasLive = useRef(false);
  useEffect(() => {
    if (state.link === 'live') wasLive.current = true;
    else if (wasLive.current && !isPast && state.refusal === null) return reportBroken();
  }, [state.link, state.refusal, isPast]);

  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...state, ...(isPast && { link: 'live' as const }), retry };
}

/**
 * Opens a subscription, and again after each failure, with pauses that double.
 *
 * @param setLink is passed why the server refuses to send data; undefined: as before
 * @returns closes it
 */
function keepOpen<M>(
  open: Open<M>,
  {
    onData,
    onFailure,
    setLink,
  }: {
    onData: (message: M) => void;
    onFailure: () => void;
    setLink: (link: LinkState, refusal?: string | null) => void;
  },
): () => void {
  let pauseMs = RECONNECT_MIN_MS;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let subscription: { unsubscribe: () => void } | null = null;
  const connect = () => {
    timer = null;
    subscription = open({
      onData: (message) => {
        pauseMs = RECONNECT_MIN_MS;
        onData(message);
      },
      onStarted: () => setLink('live'),
      onConnectionStateChange: ({ state, error }) => {
        if (state === 'connecting') setLink('connecting', error ? null : undefined);
      },
      onError: (error) => {
        subscription?.unsubscribe();
        onFailure();
        setLink('connecting', refusalOf(error));
        timer ??= setTimeout(connect, pauseMs);
        pauseMs = Math.min(RECONNECT_MAX_MS, pauseMs * 2);
      },
    });
  };
  connect();
  return () => {
    if (timer !== null) clearTimeout(timer);
    subscription?.unsubscribe();
  };
}

function refusalOf(error: unknown): string | null {
  const { reason, text } = problemOf(error);
  return reason === 'OFFLINE' ? null : text;
}
