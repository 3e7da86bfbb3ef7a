'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { LockDetail } from '@/server/contract/console/lock-row';
import { LatePart, loadUntilThere } from '../../navigation/late-part';
import { Button } from '../../ui/controls/button';
import { useMedia } from '../../ui/use-media';

const TimelinePanel = dynamic(
  () => loadUntilThere(() => import('../timeline/timeline-panel').then((all) => all.TimelinePanel)),
  { ssr: false, loading: () => <LatePart /> },
);

/** Screens on which the preview is beside the list and has room for a timeline above its acts. */
const HAS_ROOM = '(min-width: 1800px) and (min-height: 900px)';

/** Who held the lock and who waited for it; on a smaller screen it is loaded on request. */
export function PeekTimeline({ detail }: { detail: LockDetail }) {
  const [isAskedFor, setAskedFor] = useState(false);
  const hasRoom = useMedia(HAS_ROOM, false);
  if (isAskedFor || hasRoom) return <TimelinePanel detail={detail} />;
  return (
    <div className="border-line border-t px-3.5 py-2">
      <Button tone="quiet" size="small" className="-ml-1" onClick={() => setAskedFor(true)}>
        Show timeline
      </Button>
    </div>
  );
}
