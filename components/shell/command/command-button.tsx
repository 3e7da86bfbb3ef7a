'use client';

import dynamic from 'next/dynamic';
import { useEffect, useRef, useState } from 'react';

const CommandMenu = dynamic(() => import('./command-menu').then((all) => all.CommandMenu), {
  ssr: false,
  // A dialog already, so that what is typed meanwhile is no shortcut of the page.
  loading: () => <div role="dialog" aria-label="Go anywhere" className="command h-12" />,
});

/** Opens the menu that goes anywhere, as ⌘K and Ctrl+K do. */
export function CommandButton() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      const isBehind = document.querySelector('[role="dialog"]') !== null;
      setOpen((old) => !old && !isBehind);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  // What is typed before the menu's code is there is not lost.
  const typed = useRef('');
  const isReady = useRef(false);
  useEffect(() => {
    if (!isOpen) return;
    typed.current = '';
    isReady.current = false;
    const onKey = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
      if (isReady.current || ctrlKey || metaKey) return;
      if (key === 'Escape') setOpen(false);
      else if (key.length === 1) typed.current += key;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOpen]);
  const takeTyped = () => {
    isReady.current = true;
    return typed.current;
  };
  return (
    <>
      <button
        type="button"
        className="chip shrink-0 max-lg:hidden"
        aria-haspopup="dialog"
        aria-keyshortcuts="Meta+K Control+K"
        onClick={() => setOpen(true)}
      >
        Go anywhere
        <kbd className="key">⌘K</kbd>
      </button>
      {isOpen && <CommandMenu takeTyped={takeTyped} onClose={() => setOpen(false)} />}
    </>
  );
}
