import { useEffect, useLayoutEffect, useRef } from 'react';

const PAUSE_MS = 150;

/**
 * Writes what is typed into the address once typing pauses, or right before a click: a later write
 * would abandon the page that the click opens, see `abandonNavigation`.
 *
 * @param text what is typed; each change starts the pause again
 * @param isWritten whether the address has it already
 */
export function useTypedAddress(text: string, isWritten: boolean, write: () => void): void {
  const latest = useRef(write);
  useLayoutEffect(() => {
    latest.current = write;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the text restarts it
  useEffect(() => {
    if (isWritten) return;
    const stop = () => {
      clearTimeout(timer);
      document.removeEventListener('click', writeNow, { capture: true });
    };
    const writeNow = () => {
      stop();
      latest.current();
    };
    const timer = setTimeout(writeNow, PAUSE_MS);
    document.addEventListener('click', writeNow, { capture: true });
    return stop;
  }, [text, isWritten]);
}
