import { useCallback, useSyncExternalStore } from 'react';

/**
 * Whether a media query matches.
 *
 * @param guess the result on the server, which does not know the screen
 */
export function useMedia(query: string, guess: boolean): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => guess,
  );
}
