'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { visibleText } from '@/server/core/format/visible-text';
import { useActions } from '../../actions/actions-provider';
import type { SelectionControls } from '../../deletion/use-selection';
import { useReadingStore } from '../../live/reading';
import { storeObstacle } from '../../live/reading-store';
import { type Keys, useKeys } from '../../live/use-keys';
import { useCurrentLock } from '../../shell/command/current-lock';
import { copyText } from '../../ui/controls/copy-button';
import type { KeyNote } from '../list/key-hints';
import type { PeekControls } from '../peek/use-peek';
import { actObstacle, type LockAct } from '../possible-acts';
import type { DrawnRows, RowCursor } from './use-row-cursor';

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

interface RowKeysOptions {
  drawn: DrawnRows;
  cursor: RowCursor;
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
  peek: PeekControls;
  /** Opens the page of a lock. */
  onOpen: (row: LockRow) => void;
  /** Called with the effect of a key that nothing else shows. */
  onNote: (note: KeyNote) => void;
}

/** The keys that move in the list, and those that act on the lock that the keyboard is at. */
export function useRowKeys(options: RowKeysOptions): void {
  const { drawn, cursor, selecting, peek, onOpen, onNote } = options;
  const { row } = cursor;
  useCurrentLock(row ?? null);

  const withLock = (act: (lock: LockRow) => unknown) => () => {
    const lock = keyedLock(row, peek.shown.current);
    if (lock) act(lock);
  };
  const acts = useActKeys(withLock, onNote);
  useKeys({
    ...movingKeys(drawn, cursor),
    ...acts,
    Enter: ({ target }) => {
      if (target instanceof HTMLElement && target.matches(CONTROL)) return target.click();
      withLock(onOpen)();
    },
    ' ': ({ target }) => {
      if (target instanceof Element && target.matches(CONTROL)) return false;
      peek.show(row && peek.id !== row.id ? row : null);
    },
    y: withLock(({ name }) => void copyText(name).then((done) => onNote(copyNote(name, done)))),
    x: () => row && selecting?.select(row.id, !selecting.selection.has(row.id), false),
    X: () => row && selecting?.select(row.id, true, true),
    Escape: () => {
      if (peek.isOpen) return peek.show(null);
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      cursor.leave();
    },
  });
}

function movingKeys({ count, virtual, list }: DrawnRows, { moveTo, step }: RowCursor): Keys {
  const isInList = () => list.current?.contains(document.activeElement) ?? false;
  return {
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => (isInList() ? step(1) : virtual.scrollBy(60)),
    ArrowUp: () => (isInList() ? step(-1) : virtual.scrollBy(-60)),
    Home: () => moveTo(0),
    End: () => moveTo(count - 1),
  };
}

/** The keys of actions on locks. Each says why its act is not possible where it is not. */
function useActKeys(
  withLock: (act: (lock: LockRow) => unknown) => () => void,
  onNote: (note: KeyNote) => void,
): Keys {
  const actions = useActions();
  const reading = useReadingStore();
  const actKey = (act: LockAct, undone: string, run: ((lock: LockRow) => void) | undefined) =>
    withLock((lock) => {
      if (!run) return;
      const obstacle = actObstacle(lock, act, storeObstacle(reading.get(), lock));
      if (obstacle === null) run(lock);
      else onNote({ text: `${undone}: ${obstacle}`, isProblem: true });
    });
  return {
    a: actKey('request', 'Not asked', actions?.ask),
    s: actKey('request', 'Renewals not blocked', actions?.stop),
    e: actKey('extend', 'Not extended', actions?.extend),
    r: actKey('release', 'Not released', actions?.release),
    R: actKey('reassign', 'Not reassigned', actions?.reassign),
    i: withLock((lock) => actions?.onIt(lock)),
    f: actKey('freeze', 'Not frozen', actions?.freeze),
  };
}
