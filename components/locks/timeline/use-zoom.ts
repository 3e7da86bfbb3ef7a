'use client';

import { type PointerEvent, useCallback, useRef, useState } from 'react';

/** A span chosen by a zoom, on the clock of the lock's backend. */
export interface ZoomSpan {
  from: number;
  to: number;
}

/** A shorter drag is a click. */
const DRAG_MIN_PX = 6;

/** The shortest span of a zoom. */
const SPAN_MIN_MS = 1_000;

/** The element itself. */
const itself = (element: HTMLElement) => element;

/**
 * Dragging over a plot chooses a span of it. `selection` is the span that is being dragged over, in
 * shares of the plot's width; null while there is none.
 *
 * @param plotOf returns the plot within the element that is dragged over; must be the same function
 *   in every render
 */
export function useZoom(
  span: ZoomSpan,
  onZoom: (zoom: ZoomSpan) => void,
  plotOf: (element: HTMLElement) => HTMLElement | null = itself,
) {
  const start = useRef<{ x: number; left: number; width: number } | null>(null);
  const [selection, setSelection] = useState<{ left: number; width: number } | null>(null);
  const { from, to } = span;

  const onPointerDown = useCallback(
    (event: PointerEvent<HTMLElement>) => {
      const plot = plotOf(event.currentTarget);
      if (!plot || event.button !== 0 || event.pointerType === 'touch') return;
      const { left, width } = plot.getBoundingClientRect();
      start.current = { x: event.clientX, left, width };
    },
    [plotOf],
  );

  const onPointerMove = useCallback((event: PointerEvent<HTMLElement>) => {
    const drag = start.current;
    if (!drag || Math.abs(event.clientX - drag.x) < DRAG_MIN_PX) return;
    // Not earlier: the capturing element would receive a click that was on a link.
    event.currentTarget.setPointerCapture(event.pointerId);
    setSelection(selectionOf(drag, event.clientX));
  }, []);

  const onPointerUp = useCallback(
    (event: PointerEvent<HTMLElement>) => {
      const drag = start.current;
      start.current = null;
      setSelection(null);
      if (!drag || Math.abs(event.clientX - drag.x) < DRAG_MIN_PX) return;
      const { left, width } = selectionOf(drag, event.clientX);
      const spanMs = Math.max(SPAN_MIN_MS, width * (to - from));
      const begin = from + left * (to - from);
      onZoom({ from: Math.round(begin), to: Math.round(begin + spanMs) });
    },
    [from, to, onZoom],
  );

  const onPointerCancel = useCallback(() => {
    start.current = null;
    setSelection(null);
  }, []);

  return { selection, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel } };
}

function selectionOf(drag: { x: number; left: number; width: number }, x: number) {
  const share = (px: number) => Math.min(1, Math.max(0, (px - drag.left) / drag.width));
  const [a, b] = [share(drag.x), share(x)];
  return { left: Math.min(a, b), width: Math.abs(a - b) };
}
