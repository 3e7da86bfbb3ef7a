'use client';

import { useSyncExternalStore } from 'react';

/**
 * The state of a tab: it rests once it has been hidden for a while. When it is visible again, it is
 * waking until it has had time to receive new data.
 */
type TabState = 'awake' | 'resting' | 'waking';

/** A tab that is hidden for less than this keeps its connection. */
export const REST_AFTER_MS = 5_000;

/** A tab whose connection works has new data within this time after it is visible again. */
export const WAKE_MS = 3_000;

let state: TabState = 'awake';
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function become(next: TabState) {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

function onVisibility() {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(() => become('resting'), REST_AFTER_MS);
  else if (state !== 'awake') {
    become('waking');
    timer = setTimeout(() => become('awake'), WAKE_MS);
  }
}

/** Calls back with every change; a tab that was opened in the background rests from the start. */
export function subscribeToTab(listener: () => void): () => void {
  if (listeners.size === 0) {
    document.addEventListener('visibilitychange', onVisibility);
    state = document.hidden ? 'resting' : 'awake';
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(timer);
    state = 'awake';
  };
}

export const tabState = (): TabState => state;

/**
 * The state of this tab. Without TLS, a browser opens only six connections to a server, for all of
 * its tabs together: if each kept one, a seventh tab would not open, and none could send an act.
 */
export const useTabState = (): TabState =>
  useSyncExternalStore(subscribeToTab, tabState, () => 'awake');
