'use client';

import { useEffect, useRef } from 'react';
import { onTick } from '../../live/reading';

const FLASH_MS = 1_200;

/** After this, too little of the tint is left for another step. */
const FLASH_OVER_MS = 1_000;

/** The opacity of the tint at first, the same as in the style sheet. */
const FLASH_OPACITY = 0.1;

/**
 * Tints a row for a moment, once. It fades in the steps in which the page's figures change: an
 * animation would draw the page sixty times a second for as long as any row changes.
 */
export function RowFlash({ ink, onEnd }: { ink: string; onEnd: () => void }) {
  const tint = useRef<HTMLSpanElement>(null);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const beganAt = performance.now();
    return onTick(() => {
      const ageMs = performance.now() - beganAt;
      if (isStill || ageMs >= FLASH_OVER_MS) end.current();
      else tint.current?.style.setProperty('opacity', opacityAt(ageMs).toFixed(3));
    });
  }, []);
  return <span ref={tint} aria-hidden="true" className={`row-flash ${ink}`} />;
}

const opacityAt = (ageMs: number) => FLASH_OPACITY * (1 - ageMs / FLASH_MS);
