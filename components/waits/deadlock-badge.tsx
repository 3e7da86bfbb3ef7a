import { Icon } from '../icons/icon';

/** The mark of a deadlock: icon and word. */
export function DeadlockBadge() {
  return (
    <span className="inline-flex h-5 items-center gap-[5px] rounded-5 bg-danger px-[5px] pr-[7px] font-[550] text-12 text-ondanger leading-none">
      <Icon name="cycle" size={14} />
      Deadlock
    </span>
  );
}
