import type { ReactNode } from 'react';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { Icon, type IconName } from '../icons/icon';

interface BadgeStyle {
  label: string;
  icon: IconName;
  badge: string;
}

const LEVELS: Record<'Strong' | 'Timed' | 'Best-effort', BadgeStyle & { summary: string }> = {
  Strong: {
    label: 'Strong',
    icon: 'check-circle',
    badge: 'text-t1',
    summary: 'Safe across crashes.',
  },
  Timed: {
    label: 'Timed',
    icon: 'clock',
    badge: 'text-t1 border border-line2',
    summary: 'Safe while clock assumptions hold.',
  },
  'Best-effort': {
    label: 'Best-effort',
    icon: 'alert-triangle',
    badge: 'bg-contended-tint text-contended',
    summary: 'A crash or failover may lose grants.',
  },
};

const CLOSED: BadgeStyle = {
  label: 'Grants disabled',
  icon: 'alert-octagon',
  badge: 'bg-danger text-ondanger',
};

const UNREAD: BadgeStyle = {
  label: 'Unknown',
  icon: 'question',
  badge: 'border border-dashed border-unknown text-unknown',
};

/** The level of a backend's guarantees as icon and label; disabled grants come before all else. */
export function GuaranteeBadge({
  row,
  isSilent,
}: {
  row: GuaranteeRow | null;
  /** The backend is not responding: what is known of it may be out of date. */
  isSilent: boolean;
}) {
  const { label: known, icon, badge } = isSilent ? lastKnownStyle(row) : badgeStyle(row);
  const label = isSilent && row?.reading ? `${known}, last known` : known;
  return (
    <span
      className={`inline-flex h-5 shrink-0 items-center gap-[5px] rounded-5 px-[5px] pr-[7px] text-12 leading-none font-[550] ${badge}`}
    >
      <Icon name={icon} size={14} />
      {label}
    </span>
  );
}

function badgeStyle(row: GuaranteeRow | null): BadgeStyle {
  if (!row?.reading) return UNREAD;
  return row.closedBecause === null ? LEVELS[row.reading.level] : CLOSED;
}

/** The last known label in a style of its own, which no current state has. */
const lastKnownStyle = (row: GuaranteeRow | null): BadgeStyle => ({
  ...UNREAD,
  label: badgeStyle(row).label,
});

/** The guarantees of a backend: a verdict, every reason for it, and what has to be done. */
export function GuaranteeVerdict({ row }: { row: GuaranteeRow | null }) {
  if (!row?.reading) {
    return (
      <p className="text-unknown">
        Settings not checked yet: no guarantees
        {row && row.closedBecause !== null && ', and grants are disabled'}.
      </p>
    );
  }
  const { reading, isAllowed, closedBecause, backend } = row;
  const { level, reasons, unsafe, isNeverAllowed, servesNothing } = reading;
  return (
    <div>
      <p className="font-[550]">
        {closedBecause === null ? LEVELS[level].summary : 'Grants disabled: unsafe configuration.'}
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
            ? 'Renew and release are disabled too.'
            : 'Existing holds continue as long as none of their data is lost: renew, release and ' +
              'inspect work, and waiters keep their positions.'}{' '}
          Fix the configuration
          {isNeverAllowed ? (
            '; this cannot be overridden.'
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
          Allowed by <code className="font-mono text-12">LOCKYARD_ALLOW_UNSAFE</code>: a lock may be
          granted twice.
        </Note>
      )}
    </div>
  );
}

function Note({ tone, children }: { tone: 'danger' | 'contended'; children: ReactNode }) {
  const [box, ink] =
    tone === 'danger'
      ? ['bg-danger-tint', 'text-dangertext']
      : ['bg-contended-tint', 'text-contended'];
  return (
    <div className={`mt-2.5 flex gap-2.5 rounded-10 px-3 py-2 ${box}`}>
      <Icon name="alert-triangle" size={16} className={`mt-0.5 ${ink}`} />
      <p className="min-w-0 [overflow-wrap:anywhere]">{children}</p>
    </div>
  );
}
