'use client';

import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * A key by its `KeyboardEvent.key`, or two pressed one after the other as `g l`, and what it does.
 * An act that returns false leaves the key to the browser.
 */
export type Keys = Record<string, (event: KeyboardEvent) => unknown>;

const TYPING =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]';

/** The keys that a control with several choices, such as a radio group, handles itself. */
const CHOOSING = /^( |Arrow.*)$/;

/** The second of two keys must follow within this time. */
const SECOND_WITHIN_MS = 2_000;

interface Shortcuts {
  keys: RefObject<Keys>;
  within: RefObject<Element | null> | null;
}

/** The shortcuts of all parts of the page; of two for one key the later one applies. */
const shortcuts: Shortcuts[] = [];

/** The first of two keys. */
let first: { key: string; at: number } | null = null;

/**
 * Single-key shortcuts of a page. Inactive while typing, and while a dialog or menu is open.
 *
 * @param within they apply only while the focus is inside, and then before those of the page; must
 *   be the same in every render
 */
export function useKeys(keys: Keys, within: RefObject<Element | null> | null = null): void {
  const latest = useRef(keys);
  // Before the browser paints: a key pressed right afterwards acts on what is shown.
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useLayoutEffect(() => {
    const own = { keys: latest, within };
    if (shortcuts.push(own) === 1) window.addEventListener('keydown', onKey);
    return () => {
      shortcuts.splice(shortcuts.indexOf(own), 1);
      if (shortcuts.length === 0) window.removeEventListener('keydown', onKey);
    };
  }, [within]);
}

function onKey(event: KeyboardEvent) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === 'Shift') return;
  const { target } = event;
  if (target instanceof Element && target.closest(TYPING)) return;
  const isChoice = target instanceof Element && target.matches('input[type="radio"]');
  if (isChoice && CHOOSING.test(event.key)) return;
  if (document.querySelector('[role="dialog"], [role="menu"]')) return;
  const now = event.timeStamp;
  const isSecond = first !== null && now - first.at < SECOND_WITHIN_MS;
  const pressed = isSecond ? `${first?.key} ${event.key}` : event.key;
  first = null;
  const act = actOf(pressed);
  if (act) {
    if (act(event) !== false) event.preventDefault();
  } else if (!isSecond && isBeginning(event.key)) first = { key: event.key, at: now };
}

/** What a key does where the focus is. */
function actOf(pressed: string) {
  const having = shortcuts.filter(({ keys }) => keys.current[pressed]);
  const isInside = ({ within }: Shortcuts) => within?.current?.contains(document.activeElement);
  const own = having.findLast(isInside) ?? having.findLast(({ within }) => within === null);
  return own?.keys.current[pressed];
}

/** Whether a shortcut of two keys begins with this one. */
const isBeginning = (key: string) =>
  shortcuts.some(({ keys }) =>
    Object.keys(keys.current).some((name) => name.startsWith(`${key} `)),
  );
