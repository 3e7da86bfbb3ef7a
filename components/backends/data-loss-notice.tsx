import { type BackendLossRow, LOSS_LABELS } from '@/server/contract/console/backend-loss';
import { agoText, spokenDuration } from '../format/durations';
import { Icon } from '../icons/icon';

/**
 * Says that a backend has lost data, and what follows: emphasised while nothing is granted because
 * of it.
 */
export function DataLossNotice({ loss }: { loss: BackendLossRow }) {
  const { what, agoMs, quietForMs } = loss;
  const isQuiet = quietForMs > 0;
  return (
    <div
      role={isQuiet ? 'alert' : undefined}
      data-loss={what}
      className={`flex gap-2.5 border-line border-b px-3.5 py-2.5 text-13 ${isQuiet ? 'bg-danger-tint text-t1' : 'text-t2'}`}
    >
      <Icon
        name="alert-circle"
        size={16}
        className={`mt-0.5 ${isQuiet ? 'text-dangertext' : 'text-t3'}`}
      />
      <div className="min-w-0">
        <p className="font-[620]">It lost its memory {agoText(agoMs)}.</p>
        <p>{LOSS_LABELS[what]} Everything that was held there then is over.</p>
        <p>
          {isQuiet
            ? `Nothing is granted for another ${spokenDuration(quietForMs)}: until then somebody may hold a lock that was forgotten.`
            : 'Locks are granted again, with higher tokens than ever before.'}
        </p>
      </div>
    </div>
  );
}
