import type { ZookeeperUrl } from '../../../db/zookeeper-url';
import { systemClock } from '../../clock';
import type { HistorySource, RecordStore } from '../record-store';
import { ZookeeperStore } from './zookeeper-store';

/**
 * Opens the store at a URL, with its znodes made.
 *
 * @throws StoreError when no server answers
 */
export function openZookeeperStore({
  servers,
  credentials,
  root,
}: ZookeeperUrl): Promise<RecordStore & HistorySource> {
  const place = { servers: servers.map((server) => ({ ...server, credentials })), root };
  return ZookeeperStore.open(place, () => systemClock.monotonic());
}
