'use client';

import dynamic from 'next/dynamic';
import { LatePart, loadUntilThere } from '../../navigation/late-part';
import { setAddress } from '../../navigation/set-address';
import { Button } from '../../ui/controls/button';

export const loadPeekPanel = () => import('./peek-panel');

// Imported inline, or the first paint would lack its style sheet.
export const PeekPanel = dynamic(
  () => loadUntilThere(() => import('./peek-panel').then((all) => all.PeekPanel)),
  {
    loading: () => (
      <aside aria-label="Lock preview" className="peek">
        {/* On a phone it covers the whole list. */}
        <LatePart action={<Button onClick={() => setAddress({ peek: null })}>Close</Button>} />
      </aside>
    ),
  },
);
