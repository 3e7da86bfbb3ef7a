'use client';

import { useState } from 'react';

/** How often a value has changed since the component came to be. */
export function useChangeCount(value: string): number {
  const [seen, setSeen] = useState({ value, changes: 0 });
  if (seen.value !== value) {
    setSeen({ value, changes: seen.changes + 1 });
    return seen.changes + 1;
  }
  return seen.changes;
}
