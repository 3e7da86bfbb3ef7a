'use client';

import { useEffect, useRef } from 'react';

const FLASH_MS = 1_200;

/**
 * Tints a row for a moment, once. Run by a script, since an animation of the style sheet begins
 * again whenever the row changes places.
 */
export function RowFlash({ ink, onEnd }: { ink: string; onEnd: () => void }) {
  const tint = useRef<HTMLSpanElement>(null);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const durationMs = window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : FLASH_MS;
    const fading = tint.current?.animate([{ opacity: 0.1 }, { opacity: 0 }], {
      duration: durationMs,
      easing: 'ease-out',
    });
    if (fading) fading.onfinish = () => end.current();
    return () => fading?.cancel();
  }, []);
  return <span ref={tint} aria-hidden="true" className={`row-flash ${ink}`} />;
}
