import type { DecidingPolicy } from '../../core/decision';
import {
  type Capability,
  type Store,
  type StoreName,
  storesUnderTest,
} from '../../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../../storage/record-store';
import type { LockEngine } from '../lock-engine';
import { EngineRig } from './engine-rig';

/** A process on which the steps of a comparison are run. */
export interface ModelledMember {
  engine: LockEngine;
  process: string;
  faults: { goAway(): void };
}

/**
 * A backend on which the steps of a comparison are run, and its stores for direct reads.
 */
export interface ModelledBackend {
  capabilities: readonly Capability[];
  /** By namespace. */
  policies: Map<string, DecidingPolicy>;
  /** The stores of its records, which share one clock. */
  stores: Store[];
  /** The index of the store that must contain a record. */
  homeOf(key: RecordKey): number;
  /** Starts another process. */
  join(): Promise<ModelledMember>;
  /** Moves all clocks forward; only over stores without their own clock. */
  passMs(ms: number): void;
  close(): Promise<void>;
}

/** @param spoil puts a fault between the engine and its store */
export async function modelledStore(
  name: StoreName,
  spoil: (store: Store) => Store = (store) => store,
): Promise<ModelledBackend> {
  const rig = await EngineRig.open(name);
  return {
    capabilities: storesUnderTest[name].capabilities,
    policies: rig.policies,
    stores: [rig.under.store],
    homeOf: () => 0,
    join: async () => rig.joinWith(spoil(await rig.under.another())),
    passMs: (ms) => rig.passMs(ms),
    close: () => rig.close(),
  };
}
