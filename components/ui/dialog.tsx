'use client';

import { Dialog as Radix } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  /** A question, where the dialog is about to act. */
  title: ReactNode;
  children: ReactNode;
  /** Where the focus starts; the first field if absent. */
  initialFocus?: RefObject<HTMLElement | null>;
  wide?: boolean;
}

/** A dialog on a screen, a sheet from below on a phone. The page behind it stays live. */
export function Dialog({ open, onClose, title, children, initialFocus, wide }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fade-in fixed inset-0 z-40 bg-[var(--scrim)]" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            if (!initialFocus?.current) return;
            event.preventDefault();
            initialFocus.current.focus();
          }}
          className={`dialog rise-in fixed z-50 flex flex-col overflow-y-auto overscroll-contain bg-s1 shadow-2xl outline-none ${wide ? 'dialog-wide' : ''}`}
        >
          <Radix.Title className="text-19 font-[640] [text-wrap:balance]">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
