import type { DecidingPolicy } from '../../core/decision';
import { rendezvousHash } from '../../core/rendezvous-hash';
import { PATIENT_MS, patientStores } from '../../storage/conformance/contract/contract-stores';
import { openShardsUnderTest } from '../../storage/conformance/contract/shards-under-test';
import {
  type Capability,
  type Store,
  type StoreName,
  type StoreUnderTest,
  storesUnderTest,
} from '../../storage/conformance/testing/stores-under-test';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { LockEngine } from '../lock-engine';
import { ShardedEngine } from '../sharded-engine';
import { EngineRig, newProcess } from './engine-rig';
import type { FaultyStore } from './faulty-store';
import type { ModelledBackend, ModelledMember } from './modelled-backend';

type Shard = StoreUnderTest & { name: string };

/** The engines of several processes over one fresh backend with two shards. */
export class ShardedRig implements ModelledBackend {
  readonly policies = new Map<string, DecidingPolicy>();
  readonly stores: Store[];
  private readonly rigs: EngineRig[];
  private readonly names: string[];

  private constructor(
    shards: Shard[],
    readonly capabilities: readonly Capability[],
  ) {
    this.rigs = shards.map((shard) => new EngineRig(shard, this.policies));
    this.stores = shards.map(({ store }) => store);
    this.names = shards.map(({ name }) => name);
  }

  static async open(): Promise<ShardedRig> {
    return new ShardedRig(
      await openShardsUnderTest(2, { callMaxMs: PATIENT_MS }),
      storesUnderTest.mysql.capabilities,
    );
  }

  /** A rig over two plain stores as shards, for tests that do not depend on real sharding. */
  static async over(name: StoreName): Promise<ShardedRig> {
    const open = async (shard: string) => ({
      ...(await patientStores[name].open()),
      name: shard,
    });
    return new ShardedRig([await open('a'), await open('b')], storesUnderTest[name].capabilities);
  }

  readonly homeOf = (key: RecordKey): number => rendezvousHash(this.names)(recordId(key));

  /** Starts another process. A fault between it and one shard also applies to the others. */
  async join(): Promise<ModelledMember & { faults: JointFaults; shards: LockEngine[] }> {
    const process = newProcess();
    const members = await Promise.all(
      this.rigs.map(async (rig) => rig.joinWith(await rig.under.another(), process)),
    );
    const shards = members.map(({ engine }) => engine);
    const engine = new ShardedEngine({
      backend: 'default',
      shards: this.names.map((name, i) => ({ name, engine: shards[i] as LockEngine })),
      homeOf: rendezvousHash(this.names),
      refusal: () => null,
    });
    return {
      engine,
      shards,
      process,
      faults: new JointFaults(members.map(({ faults }) => faults)),
    };
  }

  passMs(ms: number): void {
    for (const rig of this.rigs) rig.passMs(ms);
  }

  async close(): Promise<void> {
    await Promise.all(this.rigs.map((rig) => rig.close()));
  }
}

class JointFaults implements Pick<FaultyStore, 'onSwap' | 'goAway' | 'comeBack' | 'allLanded'> {
  constructor(private readonly each: FaultyStore[]) {}

  get onSwap(): FaultyStore['onSwap'] {
    return (this.each[0] as FaultyStore).onSwap;
  }

  set onSwap(fateOf) {
    for (const faults of this.each) faults.onSwap = fateOf;
  }

  goAway(): void {
    for (const faults of this.each) faults.goAway();
  }

  comeBack(): void {
    for (const faults of this.each) faults.comeBack();
  }

  async allLanded(): Promise<void> {
    await Promise.all(this.each.map((faults) => faults.allLanded()));
  }
}
