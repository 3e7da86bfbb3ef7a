'use client';

import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { agoText, wholeSeconds } from '@/server/core/format/durations';
import { useAtBackend } from '../../live/reading';
import { DialogWarning } from '../../ui/controls/dialog-warning';
import { planText } from './release-plan';

/** A process whose last renewal is not older than this is assumed to be alive. */
const ALIVE_WITHIN_MS = 15_000;

/** What releasing all locks of a process does, and what it does not do to the process. */
export function ReleaseWarning({
  locks,
  renewedAt,
}: {
  locks: HeldLock[];
  /** When the process last renewed a lock, by the server's clock; null: it has renewed none. */
  renewedAt: number | null;
}) {
  return (
    <DialogWarning className="my-4">
      <LastRenewal renewedAt={renewedAt} />
      {planText(locks)} If the process still runs, it is not stopped: it finds out at its next
      renewal, and its writes are rejected only by resources that check the fencing token.
    </DialogWarning>
  );
}

/** A recent renewal, which an operator must not miss: the process is still running. */
function LastRenewal({ renewedAt }: { renewedAt: number | null }) {
  const agoMs = useAtBackend(null, (now) =>
    renewedAt === null ? -1 : wholeSeconds(Math.max(0, now - renewedAt)),
  );
  if (agoMs < 0 || agoMs > ALIVE_WITHIN_MS) return null;
  return <b className="font-[620]">It renewed a lock {agoText(agoMs)}, so it is still running. </b>;
}
