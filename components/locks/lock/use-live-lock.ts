import type { LockDetail } from '@/server/contract/console/lock-row';
import {
  detailAfter,
  type LockDetailMessage,
} from '@/server/contract/console/waits/lock-detail-message';
import { useTRPCClient } from '../../live/trpc';
import { type Live, useLive } from '../../live/use-live';

/**
 * A lock as its own page shows it, live.
 *
 * @param initial null: nothing is known before the first message
 * @param initialAt this page's monotonic clock when `initial` came; null: it is in the first paint
 */
export function useLiveLock<D extends LockDetail | null>(
  { namespace, name }: { namespace: string; name: string },
  initial: D,
  initialAt: number | null = null,
): Live<D | LockDetail> {
  const client = useTRPCClient();
  return useLive<D | LockDetail, LockDetailMessage>(
    `${namespace}/${name}`,
    initial,
    ({ onData, ...handlers }) =>
      client.locks.watchDetail.subscribe(
        { namespace, name },
        { ...handlers, onData: (message) => onData(message.data) },
      ),
    detailAfter,
    initialAt,
  );
}
