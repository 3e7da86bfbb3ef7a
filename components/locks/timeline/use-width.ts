import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/**
 * The inner width of an element in pixels.
 *
 * @param guess the result until the element is on the page
 */
export function useWidth<E extends HTMLElement>(
  guess: number,
): { ref: RefObject<E | null>; widthPx: number } {
  const ref = useRef<E>(null);
  const [widthPx, setWidthPx] = useState(guess);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidthPx(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, widthPx };
}
