import type { EngineOptions } from '../../engine/engine-context';
import type { PoliciesInForce } from '../../engine/names/policies-in-force';

/** What the engines of all backends of a process have in common. */
export interface EngineParts extends Pick<EngineOptions, 'processId' | 'newWriter' | 'names'> {
  /** Called when the clock of a backend or shard was set: see `EngineOptions`. */
  onBackendStep?: (store: string) => (ms: number) => void;
  /** Policies of namespaces on a backend that grants nothing before an instant, or is closed. */
  policiesOf: PoliciesInForce;
}
