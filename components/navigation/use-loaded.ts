'use client';

import { useEffect, useState } from 'react';
import { retryLoad } from './retry-load';

/**
 * A part of the page that is loaded when it is first wanted, however often that fails.
 *
 * @param load never another function
 * @returns `part`: null until it has come; `isFailing`: the last attempt failed
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
 * Loads parts with the first key or press on the page: no part of its first load, and there before
 * they are chosen, even if the server is away by then.
 *
 * @param loaders never another array
 */
export function useLoadedEarly(loaders: readonly (() => Promise<unknown>)[], isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return;
    const begun = new AbortController();
    const load = () => {
      begun.abort();
      // Showing a part tries again.
      for (const each of loaders) each().catch(() => undefined);
    };
    for (const kind of ['keydown', 'pointerdown']) {
      window.addEventListener(kind, load, { signal: begun.signal });
    }
    return () => begun.abort();
  }, [isWanted, loaders]);
}
