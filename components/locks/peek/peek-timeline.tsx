'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { LockDetail } from '@/server/contract/console/lock-row';
import { Button } from '../../ui/controls/button';

const TimelinePanel = dynamic(() =>
  import('../timeline/timeline-panel').then((all) => all.TimelinePanel),
);

/** Who held the lock and who waited for it; loaded when it is asked for. */
export function PeekTimeline({ detail }: { detail: LockDetail }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <TimelinePanel detail={detail} />;
  return (
    <div className="border-line border-t px-3.5 py-2">
      <Button tone="quiet" size="small" onClick={() => setOpen(true)}>
        Show timeline
      </Button>
    </div>
  );
}
