import { Icon } from '../../icons/icon';

export const SLOWED_LABEL = 'Live updates slowed: server busy';

/**
 * Says that news come less often than they should, where there is no line of keys that could. It
 * floats at the foot of the page, so that nothing moves.
 */
export function SlowedNote() {
  return (
    <div className="relative z-30 h-0 md:hidden">
      <p
        role="status"
        className="rise-in absolute bottom-3 left-[var(--gutter)] flex max-w-[calc(100%-2*var(--gutter))] items-center gap-2.5 rounded-10 border border-line2 bg-s1 px-3.5 py-2 shadow-lg"
      >
        <Icon name="hourglass" size={15} className="text-contended" />
        {SLOWED_LABEL}
      </p>
    </div>
  );
}
