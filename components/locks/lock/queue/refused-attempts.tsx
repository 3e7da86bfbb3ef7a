'use client';

import type { LockDetail } from '@/server/contract/console/lock-row';
import { agoText } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import type { RefusedOwner } from '@/server/core/statistics/refusal-counts';
import { useAtBackend } from '../../../live/reading';
import { ExactName } from '../../../ui/visible-text';
import { refusedSentence } from '../../pressure-labels';

/** How many owners are listed at first. */
const SHOWN = 3;

/** Who asked for the lock and was refused, instead of waiting. */
export function RefusedAttempts({ detail: { row, refusals } }: { detail: LockDetail }) {
  const { refused, backend } = row;
  const sentence = useAtBackend(row, (now) => (refused ? refusedSentence(refused, now) : ''));
  if (!refused || !refusals) return null;
  const { owners, others } = refusals;
  const hidden = owners.slice(SHOWN);
  return (
    <section
      aria-label="Refused attempts"
      className="border-t border-line px-3.5 py-2.5 text-12 text-t2"
    >
      <p>{sentence}</p>
      <ul className="mt-1">
        {owners.slice(0, SHOWN).map((owner) => (
          <Owner key={`${owner.service} ${owner.owner}`} owner={owner} backend={backend} />
        ))}
      </ul>
      {hidden.length > 0 && (
        <details>
          <summary className="cursor-pointer text-t3">{exactCount(hidden.length)} more</summary>
          <ul>
            {hidden.map((owner) => (
              <Owner key={`${owner.service} ${owner.owner}`} owner={owner} backend={backend} />
            ))}
          </ul>
          {others && (
            <p className="text-t3">All other owners: {plural(others.attempts, 'attempt')}</p>
          )}
        </details>
      )}
    </section>
  );
}

function Owner({ owner, backend }: { owner: RefusedOwner; backend: string }) {
  const { lastAt, attempts, service } = owner;
  const last = useAtBackend({ backend }, (now) => agoText(now - lastAt));
  return (
    <li
      className="flex min-w-0 items-baseline gap-2.5"
      title={`${visibleText(owner.owner)}, service ${service}`}
    >
      <ExactName name={owner.owner} className="min-w-0 text-12" />
      <span className="ml-auto shrink-0 text-t3">
        {exactCount(attempts)} ×, last {last}
      </span>
    </li>
  );
}
