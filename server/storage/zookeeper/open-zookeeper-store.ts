import type { ZookeeperUrl } from '../../../db/urls/zookeeper-url';
import { systemClock } from '../../platform/clock';
import type { StoreIncarnation } from '../incarnation/store-incarnation';
import type { HistorySource, RecordStore } from '../record-store';
import { ZookeeperStore } from './zookeeper-store';

/**
 * Opens the store at a URL and creates its znodes.
 *
 * @param life what the control database knows of this store
 * @throws StoreError if no server answers
 */
export function openZookeeperStore(
  { servers, credentials, tls, root }: ZookeeperUrl,
  life: StoreIncarnation,
): Promise<RecordStore & HistorySource> {
  const place = { servers: servers.map((server) => ({ ...server, credentials, tls })), root };
  return ZookeeperStore.open(place, life, () => systemClock.monotonic());
}
