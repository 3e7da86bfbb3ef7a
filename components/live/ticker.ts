'use client';

/** How often the one timer of the page goes off. */
const STEP_MS = 200;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let nowMs: number | null = null;

function step() {
  nowMs = performance.now();
  for (const listener of listeners) listener();
}

function start() {
  if (timer !== null || document.hidden) return;
  step();
  timer = setInterval(step, STEP_MS);
}

function stop() {
  if (timer !== null) clearInterval(timer);
  timer = null;
}

function onVisibility() {
  if (document.hidden) stop();
  else start();
}

/** The monotonic clock at the last step, in milliseconds; null before the page runs. */
export const lastTickMs = (): number | null => nowMs;

/** Calls back at every step of the page's one timer, which stops while the tab is hidden. */
export function onTick(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', onVisibility);
  listeners.add(listener);
  start();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', onVisibility);
    stop();
  };
}
