'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { countdownText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { rangeText } from '../format/durations';
import { useAtBackend } from '../live/reading';
import { useTRPCClient } from '../live/trpc';
import { ActionDialog } from './action-dialog';
import { ExtensionChoice, FIRST_EXTENSION_MS } from './fields/extension-choice';
import type { HoldSnapshot } from './hold-snapshot';
import { useHoldAttempt } from './use-action-attempt';
import { useSeenHold } from './use-seen-hold';

/** Gives a holder more time than it asked for. */
export function ExtendDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const hold = useSeenHold(row);
  const { seen } = hold;
  const client = useTRPCClient();
  const [byMs, setByMs] = useState(FIRST_EXTENSION_MS);
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
      warning={
        'The holder is not notified and waiters wait longer. Its own renewals will not ' +
        'shorten the extension.'
      }
      actionLabel={`Extend by ${span}`}
      tone="accent"
      attempt={attempt}
      onClose={onClose}
    >
      <ExtensionChoice name="longer-by" byMs={byMs} onChange={setByMs}>
        {/* Of an extension that may have been applied, it would say the same again. */}
        {!attempt.isUnclear && <Consequence side={seen} row={row} byMs={byMs} />}
      </ExtensionChoice>
    </ActionDialog>
  );
}

/** When the lease would end, and how many waiters would time out before. */
function Consequence({ side, row, byMs }: { side: HoldSnapshot; row: LockRow; byMs: number }) {
  const expiresAt = side.hold?.expiresAt ?? 0;
  const leftMs = useAtBackend(row, (now) => Math.ceil((expiresAt - now) / 1_000) * 1_000);
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
