import { exactCount } from '@/server/core/format/numbers';
import { Button } from '../../ui/controls/button';

/** Says that a counter no longer has the value that was seen, and offers two ways to go on. */
export function ChangedValue({
  from,
  to,
  isRefused,
  onUse,
  onAnyway,
}: {
  from: number;
  to: number;
  /** The server did not apply the change for this reason. */
  isRefused: boolean;
  onUse: () => void;
  onAnyway: () => void;
}) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-0">
        Value changed from {exactCount(from)} to {exactCount(to)}.{isRefused && ' Not applied.'}
      </p>
      <span className="flex flex-wrap gap-2">
        <Button onClick={onUse}>Use current state</Button>
        <Button onClick={onAnyway}>Set anyway</Button>
      </span>
    </div>
  );
}
