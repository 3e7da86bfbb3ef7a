'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { countdownText, rangeText } from '../format/durations';
import { plural } from '../format/numbers';
import { visibleText } from '../format/visible-name';
import { useAtBackend } from '../live/reading';
import { useTRPCClient } from '../live/trpc';
import { ActionDialog } from './action-dialog';
import type { HoldSnapshot } from './hold-snapshot';
import { useHoldAttempt } from './use-action-attempt';
import { useSeenHold } from './use-seen-hold';

const MINUTE_MS = 60_000;
const EXTENSIONS_MS = [1, 5, 15, 60, 240].map((minutes) => minutes * MINUTE_MS);

/** Gives a holder more time than it asked for. */
export function ExtendDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const hold = useSeenHold(row);
  const { seen } = hold;
  const client = useTRPCClient();
  const [byMs, setByMs] = useState(5 * MINUTE_MS);
  const span = rangeText(byMs);

  const attempt = useHoldAttempt(row, hold, onClose, async (input) => {
    const answer = await client.locks.extend.mutate({ ...input, extendMs: byMs });
    if (answer.outcome === 'changed') return answer;
    return { kind: 'extended', token: input.token, byMs };
  });

  return (
    <ActionDialog
      row={row}
      hold={hold}
      title={`Extend ${seen.hold ? visibleText(seen.hold.owner) : 'the holder'}’s lease?`}
      warning="The holder is not notified and waiters wait longer. Its own renewals will not shorten the extension."
      actionLabel={`Extend by ${span}`}
      tone="accent"
      attempt={attempt}
      onClose={onClose}
    >
      <fieldset>
        <legend className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
          <span className="font-[550]">Extend by</span>
          <Consequence side={seen} backend={row.backend} byMs={byMs} />
        </legend>
        <div className="flex flex-wrap gap-2">
          {EXTENSIONS_MS.map((choice) => (
            <label key={choice} className="choice">
              <input
                type="radio"
                name="longer-by"
                className="sr-only"
                checked={choice === byMs}
                tabIndex={choice === byMs ? 0 : -1}
                onChange={() => setByMs(choice)}
              />
              {rangeText(choice)}
            </label>
          ))}
        </div>
      </fieldset>
    </ActionDialog>
  );
}

/** When the lease would end, and who would not wait as long. */
function Consequence({
  side,
  backend,
  byMs,
}: {
  side: HoldSnapshot;
  backend: string;
  byMs: number;
}) {
  const expiresAt = side.hold?.expiresAt ?? 0;
  const leftMs = useAtBackend(backend, (now) => Math.ceil((expiresAt - now) / 1_000) * 1_000);
  const timedOut = (side.queue ?? []).filter(
    ({ patienceUntil }) => patienceUntil < expiresAt + byMs,
  );
  return (
    <span className="text-12 text-t3">
      Expires in {countdownText(leftMs + byMs)} instead of {countdownText(Math.max(0, leftMs))}.
      {timedOut.length > 0 && ` ${plural(timedOut.length, 'waiter')} will time out first.`}
    </span>
  );
}
