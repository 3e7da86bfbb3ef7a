'use client';

import { type ComponentType, useEffect, useLayoutEffect, useRef } from 'react';
import { Button } from '../ui/controls/button';
import { useLoaded } from './use-loaded';

/**
 * A dialog that is loaded when it is first opened. If the server does not respond, a note says so
 * in its place, and the dialog opens once the server is back: an error would replace the page.
 *
 * @param load must be the same function in every render
 */
export function lazyDialog<Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function LazyDialog(props: Props) {
    const { part: Dialog, isFailing } = useLoaded(load, true);
    if (Dialog) return <Dialog {...props} />;
    return isFailing ? <LoadingNote onClose={props.onClose} /> : null;
  };
}

/** In place of a part that was opened and cannot be loaded now: says so until it is loaded. */
export function LoadingNote({ onClose }: { onClose: () => void }) {
  const close = useRef<HTMLButtonElement>(null);
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  useLayoutEffect(() => {
    const opener = document.activeElement;
    close.current?.focus();
    // Before the dialog itself opens, which gives the focus back to what had it.
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && latest.current();
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div role="dialog" aria-label="Not loaded yet" className="command">
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
        <p role="alert" className="text-t2">
          Server not responding. Trying again…
        </p>
        <Button ref={close} onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
