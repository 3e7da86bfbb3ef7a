import { DEFAULT_POLICY } from '../../../contract/namespace-policy';
import { createEngine } from '../../../engine/create-engine';
import type { LockEngine } from '../../../engine/lock-engine';
import { newWriter } from '../../../engine/new-writer';
import { LazyStore } from '../../lazy-store';
import type { Store } from './stores-under-test';

/** A started process, as its callers use it. */
export interface Started {
  engine: LockEngine;
  close(): Promise<void>;
}

/** Starts an engine as a process does, over a backend that may be down. */
export async function startProcess(open: () => Promise<Store>): Promise<Started> {
  const store = await LazyStore.start(open, () => undefined);
  const engine = await createEngine({
    backend: 'orders',
    kind: 'test',
    store,
    epochOf: () => 1,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    processId: newWriter().replace(/[-_]/g, 'x'),
    newWriter,
    policyOf: () => DEFAULT_POLICY,
  });
  return { engine, close: () => engine.close() };
}
