'use client';

import { useEffect, useRef } from 'react';

/** A key by its `KeyboardEvent.key`, and what it does. */
export type Keys = Record<string, (event: KeyboardEvent) => void>;

const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"]';

/** Single-key shortcuts of a page. Inactive while typing, and while a dialog or menu is open. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      if (document.querySelector('[role="dialog"], [role="menu"]')) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
