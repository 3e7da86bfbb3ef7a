'use client';

import { useSyncExternalStore } from 'react';

const TABLE = '(min-width: 900px)';
/** As in the style sheet: a line of the table, three lines on a phone. */
const TABLE_ROW_PX = 30;
const PHONE_ROW_PX = 86;

function subscribe(listener: () => void) {
  const media = window.matchMedia(TABLE);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

/** How high a row of the lock list is. The server guesses a table. */
export function useRowHeight(): number {
  const isTable = useSyncExternalStore(
    subscribe,
    () => window.matchMedia(TABLE).matches,
    () => true,
  );
  return isTable ? TABLE_ROW_PX : PHONE_ROW_PX;
}
