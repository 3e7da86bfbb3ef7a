import type { ReactNode } from 'react';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { Icon } from '../icons/icon';

const LEVEL_SUMMARIES = {
  Strong: 'Keeps every promise, also through a crash.',
  Timed: 'Keeps every promise as long as what it says of time holds.',
  'Best-effort': 'A crash or a fail-over may break a promise.',
} as const;

/**
 * What a backend can promise, in words: the verdict first, then every reason, then what has to be
 * done.
 */
export function GuaranteeVerdict({ row }: { row: GuaranteeRow | null }) {
  if (!row?.reading) {
    return (
      <p className="text-unknown">
        Its settings have not been read yet, so nothing is promised
        {row && row.closedBecause !== null && ' and nothing granted'}.
      </p>
    );
  }
  const { reading, isAllowed, closedBecause, backend } = row;
  const { level, reasons, unsafe, isNeverAllowed, servesNothing } = reading;
  return (
    <div>
      <p className="font-[550]">
        {closedBecause === null
          ? LEVEL_SUMMARIES[level]
          : 'No lock is granted here: it is not set up safely.'}
      </p>
      <ul className="flex flex-col gap-1 pt-1">
        {reasons.map((reason) => (
          <li key={reason} className={reason === unsafe ? 'text-t1' : 'text-t2'}>
            {reason}
          </li>
        ))}
      </ul>
      {closedBecause !== null && (
        <Note tone="danger">
          {servesNothing
            ? 'Nothing can be renewed or released there either.'
            : 'What is held goes on as long as nothing of it is lost: renewing, releasing and looking work, and who waits keeps the place.'}{' '}
          Put it right
          {isNeverAllowed ? (
            ': there is no other way.'
          ) : (
            <>
              , or accept the risk with{' '}
              <code className="font-mono text-12">LOCKYARD_ALLOW_UNSAFE={backend}</code> and a
              restart.
            </>
          )}
        </Note>
      )}
      {unsafe !== null && isAllowed && !isNeverAllowed && (
        <Note tone="contended">
          Allowed by <code className="font-mono text-12">LOCKYARD_ALLOW_UNSAFE</code>: it grants
          locks, and one may be granted twice.
        </Note>
      )}
    </div>
  );
}

function Note({ tone, children }: { tone: 'danger' | 'contended'; children: ReactNode }) {
  const looks =
    tone === 'danger'
      ? { box: 'bg-danger-tint', ink: 'text-dangertext' }
      : { box: 'bg-contended-tint', ink: 'text-contended' };
  return (
    <div className={`mt-2.5 flex gap-2.5 rounded-10 px-3 py-2 ${looks.box}`}>
      <Icon name="alert-triangle" size={16} className={`mt-0.5 ${looks.ink}`} />
      <p className="min-w-0 [overflow-wrap:anywhere]">{children}</p>
    </div>
  );
}
