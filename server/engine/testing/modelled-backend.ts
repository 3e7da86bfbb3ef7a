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

/** A process that is played on. */
export interface ModelledMember {
  engine: LockEngine;
  process: string;
  faults: { goAway(): void };
}

/**
 * A backend that is played on, and what it keeps as one sees it who does not go through its engine.
 */
export interface ModelledBackend {
  capabilities: readonly Capability[];
  /** By namespace. */
  policies: Map<string, DecidingPolicy>;
  /** Where its records stand. Their clocks are one. */
  stores: Store[];
  /** In which of them a record must stand. */
  homeOf(key: RecordKey): number;
  /** Starts another process. */
  join(): Promise<ModelledMember>;
  /** Moves every clock there is; only over stores without a clock of their own. */
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
