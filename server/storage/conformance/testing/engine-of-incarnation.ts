import { createEngine } from '../../../engine/create-engine';
import type { LockEngine } from '../../../engine/lock-engine';
import { newWriter } from '../../../engine/new-writer';
import type { StoreIncarnation } from '../../incarnation/store-incarnation';
import type { Store } from './stores-under-test';

/**
 * A process's engine over a store that may lose data, with the epoch and the quiet period of its
 * incarnation.
 */
export function engineOfIncarnation(
  kind: 'redis' | 'zookeeper',
  store: Store,
  incarnation: StoreIncarnation,
): Promise<LockEngine> {
  return createEngine({
    backend: 'default',
    kind,
    store,
    epochOf: () => incarnation.epoch,
    lossOf: () => incarnation.loss,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    processId: newWriter().replace(/[-_]/g, 'x'),
    newWriter,
    policyOf: () => ({ queueLimit: 1_000, lockDelayMs: 0, grantsFrom: incarnation.grantsFrom }),
  });
}
