'use client';

import { type RefObject, useLayoutEffect, useRef } from 'react';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../../../icons/icon';
import { VisibleText } from '../../visible-text';

/** A filter that can be set: the trigger of a menu, which gives it an id. */
export function MenuChip({
  label,
  value = 'any',
  id,
  ...rest
}: {
  label: string;
  value?: string;
  id?: string;
  /** Of its menu: given by that. */
  'data-state'?: 'open' | 'closed';
}) {
  const isComing = useRef(false);
  const { 'data-state': state } = rest;
  useLayoutEffect(() => {
    if (state === 'open') isComing.current = true;
  }, [state]);
  useFocusOf(label, () => document.getElementById(id ?? ''), isComing);
  return (
    <button
      type="button"
      id={id}
      className="chip shrink-0"
      {...rest}
      onFocus={() => {
        // One that replaces another trigger gets the focus before its open menu does.
        if (state !== 'open') isComing.current = false;
      }}
    >
      <span>
        {label}
        <span className={value === 'any' ? 'chip-any max-md:sr-only' : ''}>
          : <b>{value}</b>
        </span>
      </span>
      <Icon name="chevron-down" size={13} className="text-t3" />
    </button>
  );
}

/** A filter that is set; a click removes it. */
export function FilterChip({
  label,
  value,
  onClear,
}: {
  label: string;
  value: string;
  onClear: () => void;
}) {
  const chip = useRef<HTMLButtonElement>(null);
  useFocusOf(label, () => chip.current);
  return (
    <button
      ref={chip}
      type="button"
      className="chip shrink-0"
      data-set="true"
      onClick={onClear}
      aria-label={`Remove filter: ${label} = ${visibleText(value)}`}
    >
      {label}:{' '}
      <b className="max-w-48 truncate">
        <VisibleText text={value} />
      </b>
      <Icon name="close" size={13} />
    </button>
  );
}

/** The filter whose control had the focus when it was replaced; null: none. */
let left: string | null = null;

/**
 * Passes the focus of a filter's control to the control that replaces it, or else to the main part.
 *
 * @param isComing whether its menu was opened, and has not returned the focus yet
 */
function useFocusOf(
  label: string,
  control: () => HTMLElement | null,
  isComing?: RefObject<boolean>,
): void {
  const find = useRef(control);
  useLayoutEffect(() => {
    const element = find.current();
    if (left === label) {
      left = null;
      element?.focus();
    }
    return () => {
      const isNowhere = document.activeElement === document.body;
      const isReturning = isComing?.current === true && isNowhere;
      if (!element || !(isReturning || hasFocus(element))) return;
      left = label;
      queueMicrotask(() => {
        if (left !== label) return;
        left = null;
        document.getElementById('main')?.focus();
      });
    };
  }, [label, isComing]);
}

/** Whether a control, or the menu that it opened, has the focus. */
function hasFocus(control: HTMLElement): boolean {
  const { activeElement } = document;
  if (activeElement === control) return true;
  const trigger = activeElement?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return trigger !== null && trigger !== undefined && trigger === control.id;
}
