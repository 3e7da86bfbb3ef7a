'use client';

import { useCallback, useSyncExternalStore } from 'react';
import { THEME_STORAGE_KEY, type Theme } from './theme-script';

export const THEMES: Theme[] = ['system', 'light', 'dark'];
export const THEME_LABELS: Record<Theme, string> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
};

const listeners = new Set<() => void>();

/** Calls back with every change, also one that was made in another tab. */
export function subscribeToTheme(listener: () => void): () => void {
  const onStorage = () => {
    show(read());
    listener();
  };
  listeners.add(listener);
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}

function read(): Theme {
  const stored = localStorage.getItem(THEME_STORAGE_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function show(theme: Theme) {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}

function apply(theme: Theme) {
  if (theme === 'system') localStorage.removeItem(THEME_STORAGE_KEY);
  else localStorage.setItem(THEME_STORAGE_KEY, theme);
  show(theme);
  for (const listener of listeners) listener();
}

/** The theme that is chosen in this browser, and how to change it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore<Theme>(subscribeToTheme, read, () => 'system');
  return [theme, useCallback(apply, [])];
}
