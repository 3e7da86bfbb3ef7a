'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => {};

/**
 * Whether the page's own code runs; false in what the server painted. A form that is sent before
 * would be sent by the browser itself, which no door takes.
 */
export const useIsReady = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
