'use client';

import { useMemo } from 'react';
import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import { lockVerdict } from '@/server/core/verdict/lock-verdict';
import type { VerdictPart } from '@/server/core/verdict/verdict';
import { clockText } from '../../format/instants';
import { useAtBackend, useIsStale } from '../../live/reading';
import { useZone } from '../../ui/instant';
import { UnbrokenNames } from '../../ui/visible-text';

const INKS: Record<VerdictPart['tone'], string> = {
  plain: 'text-t2',
  strong: 'font-[550]',
  alarm: 'font-[550] text-dangertext',
};

/**
 * The state of a lock as an engineer would say it.
 *
 * @param hold the hold that the sentence describes, if several share the lock
 */
export function LockSentence({ row, hold = row.hold }: { row: LockRow; hold?: HoldRow | null }) {
  const zone = useZone();
  const isStale = useIsStale();
  // One text for all parts, since only a primitive is compared with the one before.
  const encoded = useAtBackend(row, (now, silentMs, readAt, refusal) => {
    const at = (instant: number) => clockText(instant, now, zone);
    const view = { now, readAt, silentMs, refusal, clockText: at };
    return JSON.stringify(lockVerdict({ ...row, hold }, view));
  });
  const parts = useMemo<VerdictPart[]>(() => JSON.parse(encoded), [encoded]);
  return (
    <p className="lock-sentence" data-stale={isStale}>
      {parts.map(({ text, tone }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place alone
        <span key={i} className={INKS[tone]}>
          <UnbrokenNames text={text} />
        </span>
      ))}
      {isStale && <span className="text-t2"> Last known state.</span>}
    </p>
  );
}
