'use client';

import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { UnbrokenNames } from '../visible-text';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  /** A question, where the dialog is about to act. */
  title: ReactNode;
  children: ReactNode;
  /** Where the focus starts; if absent, at the first field: of radio buttons, the chosen one. */
  initialFocus?: RefObject<HTMLElement | null>;
  wide?: boolean;
}

/**
 * A dialog on a screen, a sheet from below on a phone. The page behind it stays live. Closed, it
 * gives the focus back to what had it before, or, where that is gone, to the page's main part.
 */
export function Dialog({ open, onClose, title, children, initialFocus, wide }: DialogProps) {
  const opener = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!open) return;
    // A menu that has closed gives its button the focus a moment after the dialog has it; the
    // dialog immediately takes it back.
    const onLeave = ({ relatedTarget: to }: FocusEvent) => {
      if (opener.current !== document.body || !(to instanceof HTMLElement)) return;
      if (!to.closest('[role="dialog"]')) opener.current = to;
    };
    document.addEventListener('focusout', onLeave, { capture: true });
    return () => document.removeEventListener('focusout', onLeave, { capture: true });
  }, [open]);
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fade-in fixed inset-0 z-40 bg-[var(--scrim)]" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            opener.current = openerNow();
            const start = initialFocus?.current ?? chosenFirst(event.currentTarget);
            if (!start) return;
            event.preventDefault();
            // On a low screen the question stays in view, though the button below it has the focus.
            start.focus({ preventScroll: true });
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const isThere = opener.current?.isConnected;
            (isThere ? opener.current : document.getElementById('main'))?.focus();
          }}
          className={`dialog rise-in fixed z-50 flex flex-col overflow-y-auto overscroll-contain bg-s1 shadow-2xl outline-none ${wide ? 'dialog-wide' : ''}`}
        >
          <Radix.Title className="text-19 font-[640] [overflow-wrap:anywhere] [text-wrap:balance]">
            {typeof title === 'string' ? <UnbrokenNames text={title} /> : title}
          </Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * The buttons of a dialog, and what is said beside them. They stay in view while the fields above
 * them scroll, except on a screen that is too low for both.
 */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className="dialog-foot">{children}</div>;
}

/** The chosen radio button of a dialog whose first field is a group of them. */
function chosenFirst(dialog: EventTarget | null): HTMLElement | null {
  if (!(dialog instanceof Element)) return null;
  const isGroup = dialog.querySelector('input, select, textarea')?.matches('[type="radio"]');
  return isGroup ? dialog.querySelector<HTMLElement>('[type="radio"]:checked') : null;
}

/** What has the focus; for a menu, which is gone when the dialog closes, its button. */
function openerNow(): HTMLElement | null {
  const { activeElement } = document;
  const trigger = activeElement?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = trigger ? document.getElementById(trigger) : activeElement;
  return opener instanceof HTMLElement ? opener : null;
}
