import { type RefObject, useEffect, useRef } from 'react';

/**
 * Ends a run of many requests before its next one: by `stop`, or when its dialog is closed or its
 * page is left.
 */
export function useStop(): { isStopped: RefObject<boolean>; stop: () => void } {
  const isStopped = useRef(false);
  useEffect(() => {
    // An effect may run twice.
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  const stop = () => {
    isStopped.current = true;
  };
  return { isStopped, stop };
}
