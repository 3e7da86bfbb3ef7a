'use client';

import { type ReactNode, useSyncExternalStore } from 'react';
import { retryLoad } from './retry-load';

/** How many parts could not be loaded at the last attempt. */
let failing = 0;
const listeners = new Set<() => void>();

function countFailing(by: 1 | -1): void {
  failing += by;
  for (const listener of listeners) listener();
}

/**
 * Loads a part of a page for `dynamic`; in a browser it retries until it succeeds, while `LatePart`
 * says why the part is missing.
 */
export async function loadUntilThere<Part>(load: () => Promise<Part>): Promise<Part> {
  if (typeof window === 'undefined') return load();
  let hasFailed = false;
  const part = await retryLoad(load, () => {
    if (!hasFailed) countFailing(1);
    hasFailed = true;
  });
  if (hasFailed) countFailing(-1);
  return part;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** In place of a part that is loading; says so if the server does not send it. */
export function LatePart({
  action,
  children,
}: {
  /** What can be done meanwhile, beside the note. */
  action?: ReactNode;
  children?: ReactNode;
}) {
  const isFailing = useSyncExternalStore(
    subscribe,
    () => failing > 0,
    () => false,
  );
  if (!isFailing) return children;
  return (
    <div className="flex items-start gap-3 p-4">
      <p role="alert" className="text-t2">
        Server not responding. This part is shown once it is back; trying again…
      </p>
      {action}
    </div>
  );
}
