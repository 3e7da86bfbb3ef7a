'use client';

import type { CSSProperties } from 'react';
import { exactCount } from '@/server/core/format/numbers';
import { useAtEachBackend, useOutageNote } from '../../../live/reading';
import { Duration } from '../../../ui/duration';
import { blockingOf, countOf, SECTION_TITLES, type TierSection } from './tier-sections';

/** Above the rows of a tier: their number and their total blocking time. */
export function TierHead({ section, heads }: { section: TierSection; heads: number }) {
  const { tier, first, rows } = section;
  const blockingMs = useAtEachBackend((nowOf) => blockingOf(rows, nowOf));
  const outages = useOutageNote();
  const count = countOf(section);
  const title = count > 0 ? SECTION_TITLES[tier] : 'Back to normal';
  return (
    // biome-ignore lint/a11y/useSemanticElements: as the rows
    // biome-ignore lint/a11y/useFocusableInteractive: only rows of locks take the focus
    <div
      role="row"
      className="tier-head"
      style={{ '--place': first, '--heads': heads - 1 } as CSSProperties}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as the rows */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as the rows */}
      <div role="rowheader" className="tier-title">
        {title} <span className="font-[450] text-t2">{exactCount(count || rows.length)}</span>
        {title === 'Unknown' && outages !== '' && (
          <span className="pl-2 font-[450] text-t2">{outages}</span>
        )}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as the rows */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as the rows */}
      <div role="gridcell" className="tier-blocking">
        {tier !== 1 && blockingMs > 0 && (
          <>
            <span className="sr-only">total blocking time </span>
            <Duration ms={blockingMs} />
          </>
        )}
      </div>
    </div>
  );
}
