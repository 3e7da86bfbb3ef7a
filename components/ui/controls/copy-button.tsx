'use client';

import { useEffect, useState } from 'react';
import { Icon } from '../../icons/icon';
import { useKeys } from '../../live/use-keys';
import { Button } from './button';

const SHOWN_MS = 2_000;

const selectHint = () => `Select and press ${/Mac/.test(navigator.userAgent) ? '⌘C' : 'Ctrl+C'}`;

/** Copies a text and confirms it in place. Where the browser refuses, it says how to copy. */
export function CopyButton({
  text,
  label,
  shortcut,
  quiet = false,
}: {
  text: string;
  /** What is copied, in words: “Copy the key”. */
  label: string;
  /** The key of the page that copies it too. */
  shortcut?: string;
  quiet?: boolean;
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = async () => setState((await copyText(text)) ? 'copied' : 'refused');
  useKeys(shortcut ? { [shortcut]: () => void copy() } : {});
  const shown = state === 'idle' ? 'Copy' : state === 'copied' ? 'Copied' : selectHint();
  return (
    <Button
      size="small"
      tone={quiet ? 'quiet' : 'plain'}
      onClick={() => void copy()}
      aria-label={state === 'idle' ? label : shown}
      aria-keyshortcuts={shortcut}
      title={quiet ? label : undefined}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} size={14} />
      {(!quiet || state !== 'idle') && shown}
    </Button>
  );
}

/**
 * Puts a text into the clipboard, which browsers have only on secure addresses.
 *
 * @returns whether it is there
 */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!clipboard) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
