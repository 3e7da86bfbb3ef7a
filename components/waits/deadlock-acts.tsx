'use client';

import type { HeadBlockerRow, WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { agoText, spokenDuration, wholeSeconds } from '@/server/core/format/durations';
import { visibleText } from '@/server/core/format/visible-text';
import { useAtBackend } from '../live/reading';
import { usePastAt } from '../past/past-at';
import { Button } from '../ui/controls/button';
import { ProblemNote } from '../ui/problem-note';
import { leastWorkHold, useHoldAct } from './use-hold-act';

/** Ends a deadlock at the hold that has lasted the shortest: the least work is lost there. */
export function DeadlockActs({ head, graph }: { head: HeadBlockerRow; graph: WaitGraph }) {
  const { mayAct, failure, open } = useHoldAct();
  // When a deadlock was found is known only for the present.
  const isPast = usePastAt() !== null;
  const from = isPast ? head.deadlock?.since : head.deadlock?.foundAt;
  const ageMs = useAtBackend(null, (now) => wholeSeconds(Math.max(0, now - (from ?? now))));
  const hold = leastWorkHold(head, graph);
  return (
    <div className="flex flex-wrap items-center gap-2 pl-[22px]">
      <span className="w-full text-12 text-t2">
        {isPast ? `for ${spokenDuration(ageMs)}` : `found ${agoText(ageMs)}`}
      </span>
      {mayAct && hold && (
        <>
          <Button size="small" onClick={() => open('ask', hold)}>
            Ask {visibleText(hold.owner)}
          </Button>
          <Button size="small" tone="danger-word" onClick={() => open('release', hold)}>
            Force release…
          </Button>
          <span className="text-12 text-t3">its hold is the newest: least work lost</span>
        </>
      )}
      {failure && <ProblemNote {...failure} />}
    </div>
  );
}
