'use client';

import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { visibleText } from '@/server/core/format/visible-text';
import { useActions } from '../../actions/actions-provider';
import type { SelectionControls } from '../../deletion/use-selection';
import { useKeys } from '../../live/use-keys';
import { useCurrentLock } from '../../shell/command/current-lock';
import { copyText } from '../../ui/controls/copy-button';
import type { KeyNote } from '../list/key-hints';
import { actObstacle, type LockAct } from '../possible-acts';

/** Where the keyboard is: at a row, or at a position whose row has not been read yet. */
interface Cursor {
  place: number;
  id: string | null;
}

/** The preview beside the list. */
export interface PeekControls {
  /** The id of the lock that it shows; null while it is closed, or its row is not loaded. */
  id: string | null;
  isOpen: boolean;
  /** The lock that it shows, with the hold that its acts are about; null while it has none. */
  shown: RefObject<LockRow | null>;
  /** Called when the preview itself moved to another lock. */
  onStepped: RefObject<(row: LockRow) => void>;
  /** Called before it closes: the focus that is in it goes to its row. */
  onClosing: RefObject<() => void>;
  /** @param row null: closes it */
  show: (row: LockRow | null) => void;
}

const CONTROL = 'a, button, input, summary';

/**
 * The lock that the keys of actions apply to: the one that the keyboard is at; if several share it,
 * with the hold that its preview shows.
 */
export const keyedLock = (row: LockRow | undefined, shown: LockRow | null): LockRow | undefined =>
  row && shown?.id === row.id ? shown : row;

const copyNote = (name: string, isCopied: boolean): KeyNote =>
  isCopied
    ? { text: `Copied ${visibleText(name)}`, isProblem: false }
    : { text: 'Not copied: the browser does not allow copying here', isProblem: true };

/** The row that the keyboard is at, and the keys that move it and act on it. */
export function useRowKeys({
  rows,
  offset,
  count,
  virtual,
  list,
  selecting,
  peek,
  onOpen,
  onNote,
  onHold,
}: {
  rows: LockRow[];
  /** The position of the first of `rows`. */
  offset: number;
  /** How many rows the list has, read or not. */
  count: number;
  virtual: Virtualizer<HTMLDivElement, Element>;
  list: RefObject<HTMLDivElement | null>;
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
  peek: PeekControls;
  /** Opens the page of a lock. */
  onOpen: (row: LockRow) => void;
  /** Called with the effect of a key that nothing else shows. */
  onNote: (note: KeyNote) => void;
  onHold: () => void;
}) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const actions = useActions();

  // An open preview and the keyboard are at the same lock: both name the keys of its acts.
  const latest = useRef({ rows, peek, cursor });
  useEffect(() => {
    latest.current = { rows, peek, cursor };
    peek.onStepped.current = (to) => {
      const place = offset + rows.findIndex(({ id }) => id === to.id);
      setCursor({ place, id: to.id });
      virtual.scrollToIndex(place, { align: 'auto' });
    };
  });
  const onCursor = useCallback(
    (place: number, id: string) => {
      setCursor({ place, id });
      onHold();
      const { rows, peek, cursor } = latest.current;
      const row = cursor?.id === id ? undefined : rows.find((each) => each.id === id);
      if (row && peek.isOpen) peek.show(row);
    },
    [onHold],
  );

  // A row keeps the keyboard wherever the row moves; a position without a row passes it to the row
  // that is read there.
  const found = cursor?.id ? rows.findIndex(({ id }) => id === cursor.id) : -1;
  const place = found === -1 ? (cursor?.place ?? -1) : offset + found;
  const current = cursor?.id ? rows[found] : rows[place - offset];
  if (cursor?.id === null && current) setCursor({ place, id: current.id });
  const row = current ?? (cursor ? undefined : rows.find(({ id }) => id === peek.id));

  useCurrentLock(row ?? null);

  const wantsFocus = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row exists once read
  useEffect(() => {
    if (!wantsFocus.current) return;
    const line = list.current?.querySelector<HTMLElement>(`[data-place="${place}"]`);
    line?.focus({ preventScroll: true });
    if (line?.dataset.row) wantsFocus.current = false;
  }, [place, current?.id, virtual.range?.startIndex, list]);

  const moveTo = (next: number) => {
    if (count === 0) return;
    const wanted = Math.max(0, Math.min(count - 1, next));
    const wantedRow = rows[wanted - offset];
    setCursor({ place: wanted, id: wantedRow?.id ?? null });
    if (wantedRow && peek.isOpen) peek.show(wantedRow);
    onHold();
    wantsFocus.current = true;
    virtual.scrollToIndex(wanted, { align: 'auto' });
  };
  const isInList = () => list.current?.contains(document.activeElement) ?? false;
  const step = (by: number) => moveTo(place === -1 ? 0 : place + by);

  const onClosing = () => {
    const isInside = document.activeElement?.closest('.peek') ?? null;
    const at = row ? offset + rows.indexOf(row) : -1;
    if (!isInside || at === -1) return;
    setCursor({ place: at, id: row?.id ?? null });
    const line = list.current?.querySelector<HTMLElement>(`[data-place="${at}"]`);
    if (line) return line.focus({ preventScroll: true });
    wantsFocus.current = true;
    virtual.scrollToIndex(at, { align: 'auto' });
  };
  useEffect(() => {
    const closing = peek.onClosing;
    closing.current = onClosing;
    return () => {
      closing.current = () => undefined;
    };
  });

  const withLock = (act: (lock: LockRow) => unknown) => () => {
    const lock = keyedLock(row, peek.shown.current);
    if (lock) act(lock);
  };

  /** Performs the act of a key, or says why it is not possible. */
  const actKey = (act: LockAct, undone: string, run: ((lock: LockRow) => void) | undefined) =>
    withLock((lock) => {
      if (!run) return;
      const obstacle = actObstacle(lock, act);
      if (obstacle === null) run(lock);
      else onNote({ text: `${undone}: ${obstacle}`, isProblem: true });
    });

  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => (isInList() ? step(1) : virtual.scrollBy(60)),
    ArrowUp: () => (isInList() ? step(-1) : virtual.scrollBy(-60)),
    Home: () => moveTo(0),
    End: () => moveTo(count - 1),
    Enter: ({ target }) => {
      if (target instanceof HTMLElement && target.matches(CONTROL)) return target.click();
      withLock(onOpen)();
    },
    ' ': ({ target }) => {
      if (target instanceof Element && target.matches(CONTROL)) return false;
      peek.show(row && peek.id !== row.id ? row : null);
    },
    a: actKey('request', 'Not asked', actions?.ask),
    s: actKey('request', 'Renewals not blocked', actions?.stop),
    e: actKey('extend', 'Not extended', actions?.extend),
    r: actKey('release', 'Not released', actions?.release),
    R: actKey('reassign', 'Not reassigned', actions?.reassign),
    i: withLock((lock) => actions?.onIt(lock)),
    f: actKey('freeze', 'Not frozen', actions?.freeze),
    y: withLock(({ name }) => void copyText(name).then((done) => onNote(copyNote(name, done)))),
    x: () => row && selecting?.select(row.id, !selecting.selection.has(row.id), false),
    X: () => row && selecting?.select(row.id, true, true),
    Escape: () => {
      if (peek.isOpen) return peek.show(null);
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      wantsFocus.current = false;
      setCursor(null);
    },
  });

  return { cursor: current?.id ?? null, onCursor };
}
