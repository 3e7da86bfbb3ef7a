import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { Icon } from '../icons/icon';
import type { IconName } from '../icons/icon-shapes';

interface BadgeStyle {
  word: string;
  icon: IconName;
  badge: string;
}

const LEVEL_STYLES: Record<'Strong' | 'Timed' | 'Best-effort', BadgeStyle> = {
  Strong: { word: 'Strong', icon: 'check-circle', badge: 'text-t1' },
  Timed: { word: 'Timed', icon: 'clock', badge: 'text-t1 border border-line2' },
  'Best-effort': {
    word: 'Best-effort',
    icon: 'alert-triangle',
    badge: 'bg-contended-tint text-contended',
  },
};

const CLOSED: BadgeStyle = {
  word: 'Grants nothing',
  icon: 'alert-octagon',
  badge: 'bg-danger text-ondanger',
};

const UNREAD: BadgeStyle = {
  word: 'Not read yet',
  icon: 'question',
  badge: 'border border-dashed border-unknown text-unknown',
};

/**
 * What a backend can promise as icon, word and form; that it grants nothing goes before all else.
 */
export function GuaranteeBadge({ row }: { row: GuaranteeRow | null }) {
  const { word, icon, badge } = badgeStyle(row);
  return (
    <span
      className={`inline-flex h-5 shrink-0 items-center gap-[5px] rounded-5 px-[5px] pr-[7px] text-12 leading-none font-[550] ${badge}`}
    >
      <Icon name={icon} size={14} />
      {word}
    </span>
  );
}

function badgeStyle(row: GuaranteeRow | null): BadgeStyle {
  if (!row?.reading) return UNREAD;
  return row.closedBecause === null ? LEVEL_STYLES[row.reading.level] : CLOSED;
}
