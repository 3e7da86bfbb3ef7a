'use client';

import { useEffect, useState } from 'react';
import { retryLoad } from './retry-load';

/**
 * A part of the page that is loaded when it is first needed, with retries until it succeeds.
 *
 * @param load must be the same function in every render
 * @returns `part`: null until it is loaded; `isFailing`: the last attempt failed
 */
export function useLoaded<Part>(
  load: () => Promise<Part>,
  isWanted: boolean,
): { part: Part | null; isFailing: boolean } {
  const [loaded, setLoaded] = useState<{ part: Part } | null>(null);
  const [isFailing, setFailing] = useState(false);
  const isMissing = isWanted && loaded === null;
  useEffect(() => {
    if (!isMissing) return;
    const over = new AbortController();
    const { signal } = over;
    void retryLoad(load, () => setFailing(true), signal).then(
      (part) => !signal.aborted && setLoaded({ part }),
      () => undefined,
    );
    return () => {
      over.abort();
      setFailing(false);
    };
  }, [isMissing, load]);
  return { part: loaded?.part ?? null, isFailing };
}

/**
 * Loads parts at the first key or press on the page: they do not slow its first load, and are there
 * when they are opened, even if the server is unreachable by then.
 *
 * @param loaders must be the same array in every render
 */
export function useLoadedEarly(loaders: readonly (() => Promise<unknown>)[], isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return;
    const begun = new AbortController();
    const load = () => {
      begun.abort();
      // A failure is ignored: showing the part tries again.
      for (const each of loaders) each().catch(() => undefined);
    };
    for (const kind of ['keydown', 'pointerdown']) {
      window.addEventListener(kind, load, { signal: begun.signal });
    }
    return () => begun.abort();
  }, [isWanted, loaders]);
}
