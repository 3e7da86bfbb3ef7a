import type { LockStatus } from '@/server/contract/console/console-terms';
import { Icon, type IconName } from '../icons/icon';

export const STATUS_STYLES: Record<
  LockStatus,
  { word: string; icon: IconName; badge: string; ink: string }
> = {
  stuck: {
    word: 'Stuck',
    icon: 'alert-octagon',
    badge: 'bg-danger text-ondanger font-[550]',
    ink: 'text-dangertext',
  },
  orphaned: {
    word: 'Orphaned',
    icon: 'unplug',
    badge: 'bg-danger-tint text-dangertext font-[550] ring-[1.6px] ring-dangertext ring-inset',
    ink: 'text-dangertext',
  },
  expired: {
    word: 'Expired',
    icon: 'timer-off',
    badge: 'bg-expired-tint text-expired font-[550]',
    ink: 'text-expired',
  },
  unknown: {
    word: 'Unknown',
    icon: 'question',
    badge: 'border border-dashed border-unknown text-unknown',
    ink: 'text-unknown',
  },
  expiring: {
    word: 'Expiring',
    icon: 'hourglass',
    badge: 'bg-expiring-tint text-expiring font-[550]',
    ink: 'text-expiring',
  },
  contended: {
    word: 'Contended',
    icon: 'users',
    badge: 'text-contended font-[550]',
    ink: 'text-contended',
  },
  frozen: {
    word: 'Frozen',
    icon: 'snowflake',
    badge: 'text-frozen font-[550]',
    ink: 'text-frozen',
  },
  delayed: { word: 'Delayed', icon: 'clock', badge: 'text-delayed', ink: 'text-delayed' },
  held: { word: 'Held', icon: 'lock', badge: 'text-held', ink: 'text-held' },
  free: { word: 'Free', icon: 'lock-open', badge: 'text-free', ink: 'text-free' },
};

/** A status as icon, word and form; colour never carries it alone. */
export function StatusBadge({
  status,
  isExpected = false,
}: {
  status: LockStatus;
  /** The status is intended, and so has no colour. */
  isExpected?: boolean;
}) {
  const { word, icon, badge } = STATUS_STYLES[status];
  return (
    <span
      className={`inline-flex h-5 items-center gap-[5px] rounded-5 px-[5px] pr-[7px] text-12 leading-none ${isExpected ? 'text-t2' : badge}`}
    >
      <Icon name={icon} size={14} />
      {word}
    </span>
  );
}
