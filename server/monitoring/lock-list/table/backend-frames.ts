import type { NamespacePolicy } from '../../../contract/namespace-policy';
import type { Clock } from '../../../platform/clock';
import type { BackendState, NamespaceLookup } from '../../projection/monitored-backend';

/** The state of a backend, or of one of its shards, from which statuses are computed. */
export interface BackendFrame {
  /** The backend's clock, in whole milliseconds. */
  now: number;
  /** That clock minus the one of this process. */
  offsetMs: number;
  reachable: boolean;
}

const ABSENT: BackendFrame = { now: 0, offsetMs: 0, reachable: false };

/** The instants and policies from which statuses were last computed, and which have changed. */
export class BackendFrames {
  private readonly frames = new Map<string, BackendFrame>();
  /** By backend: `offsetMs` when all of its locks were checked last. */
  private readonly checkedOffsets = new Map<string, number>();
  private readonly policies = new Map<string, string>();

  constructor(
    private readonly backends: readonly BackendState[],
    private readonly clock: Clock,
    private readonly namespaces: Pick<NamespaceLookup, 'policyOf'>,
  ) {}

  of(backend: string): BackendFrame {
    return this.frames.get(backend) ?? ABSENT;
  }

  /** Reads every backend's instant. Returns the backends whose locks must all be checked again. */
  advance(): Set<string> {
    const changed = new Set<string>();
    for (const { id, engine } of this.backends) {
      const { reachable, clockOffsetMs } = engine.health();
      const here = this.clock.now();
      const frame = { now: Math.floor(here + clockOffsetMs), offsetMs: 0, reachable };
      const before = this.frames.get(id);
      const isSetBack = before !== undefined && frame.now < before.now;
      // Statuses go back in time only if the backend's clock was set back, not for jitter.
      if (isSetBack && before.now - frame.now < SMALL_STEP_MS) frame.now = before.now;
      else if (isSetBack) changed.add(id);
      frame.offsetMs = frame.now - Math.floor(here);
      if (before && before.reachable !== reachable) changed.add(id);
      // Instants of locks that are kept by the clock of this process are wrong once that was set.
      const checked = this.checkedOffsets.get(id) ?? frame.offsetMs;
      if (Math.abs(frame.offsetMs - checked) >= SMALL_STEP_MS) changed.add(id);
      if (!before || changed.has(id)) this.checkedOffsets.set(id, frame.offsetMs);
      this.frames.set(id, frame);
    }
    return changed;
  }

  /** Notes the policy of a namespace before the status of its first lock is computed by it. */
  notePolicy(namespace: string): void {
    if (this.policies.has(namespace)) return;
    this.policies.set(namespace, policyText(this.namespaces.policyOf(namespace)));
  }

  /** The namespaces whose policy has changed since it was noted in a way that affects statuses. */
  changedPolicies(namespaces: Iterable<string>): Set<string> {
    const changed = new Set<string>();
    for (const namespace of namespaces) {
      const text = policyText(this.namespaces.policyOf(namespace));
      const before = this.policies.get(namespace);
      if (before !== undefined && before !== text) changed.add(namespace);
      this.policies.set(namespace, text);
    }
    return changed;
  }
}

/** The parts of a policy that statuses depend on. */
const policyText = ({ patienceMaxMs, stuckAfterMs, standbyExpected }: NamespacePolicy) =>
  `${patienceMaxMs}/${stuckAfterMs}/${standbyExpected}`;

/** Below this, a step is jitter: the measured offset of a backend's clock varies a little. */
const SMALL_STEP_MS = 1_000;
