'use client';

import { useEffect, useState } from 'react';
import { useLoaded } from '../../navigation/use-loaded';

const loadMenu = () => import('./command-menu').then((all) => all.CommandMenu);

/** Opens the menu that goes anywhere, as ⌘K and Ctrl+K do. */
export function CommandButton({ keys }: { keys: string }) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const { part: CommandMenu, isFailing } = useLoaded(loadMenu, isOpen);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      const isBehind = document.querySelector('[role="dialog"]') !== null;
      setText('');
      setOpen((old) => !old && !isBehind);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  useEffect(() => {
    if (!isOpen) return;
    // A key that is pressed before the menu has the focus becomes text in the menu: it is not lost,
    // triggers no shortcut of the page, and does not press the button that has the focus.
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || (target instanceof Element && isInMenu(target))) return;
      if (key === 'Escape') setOpen(false);
      else if (key.length === 1) setText((old) => old + key);
      else if (key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [isOpen]);
  return (
    <>
      <button
        type="button"
        className="chip shrink-0 max-lg:hidden"
        aria-haspopup="dialog"
        aria-keyshortcuts="Meta+K Control+K"
        onClick={() => {
          setText('');
          setOpen(true);
        }}
      >
        Go anywhere
        <kbd className="key">{keys}</kbd>
      </button>
      {isOpen && CommandMenu && (
        <CommandMenu text={text} onText={setText} onClose={() => setOpen(false)} />
      )}
      {isOpen && !CommandMenu && (
        <div role="dialog" aria-label="Go anywhere" className="command min-h-12">
          {isFailing && (
            <p role="alert" className="px-4 py-3.5 text-t2">
              Server not responding. Trying again… Esc closes this.
            </p>
          )}
        </div>
      )}
    </>
  );
}

const isInMenu = (element: Element) => element.closest('.command') !== null;
