import type { NamespacePolicy } from '../../../contract/namespace-policy';
import type { Clock } from '../../../platform/clock';
import type { ObservedBackend } from '../../projection/lock-board';

/** How a backend, or a shard of one, is as statuses are found out. */
export interface BackendFrame {
  /** Its clock, in whole milliseconds. */
  now: number;
  reachable: boolean;
}

const ABSENT: BackendFrame = { now: 0, reachable: false };

/**
 * The instants and policies by which statuses were last found out, and which of them have changed
 * since.
 */
export class BackendFrames {
  private readonly frames = new Map<string, BackendFrame>();
  private readonly policies = new Map<string, string>();

  constructor(
    private readonly backends: readonly ObservedBackend[],
    private readonly clock: Clock,
    private readonly policyOf: (namespace: string) => NamespacePolicy,
  ) {}

  of(backend: string): BackendFrame {
    return this.frames.get(backend) ?? ABSENT;
  }

  /**
   * Takes the present instant of every backend. Answers those whose locks all have to be looked at
   * again.
   */
  advance(): Set<string> {
    const turned = new Set<string>();
    for (const { id, engine } of this.backends) {
      const { reachable, clockOffsetMs } = engine.health();
      const frame = { now: Math.floor(this.clock.now() + clockOffsetMs), reachable };
      const before = this.frames.get(id);
      const isSetBack = before !== undefined && frame.now < before.now;
      // What time has made of a lock is undone only where its clock was set back; a jitter of the
      // offset is no step.
      if (isSetBack && before.now - frame.now < SMALL_STEP_MS) frame.now = before.now;
      else if (isSetBack) turned.add(id);
      if (before && before.reachable !== reachable) turned.add(id);
      this.frames.set(id, frame);
    }
    return turned;
  }

  /**
   * Answers which of these namespaces have another policy than at the last look, as far as statuses
   * depend on it.
   */
  changedPolicies(namespaces: Iterable<string>): Set<string> {
    const changed = new Set<string>();
    for (const namespace of namespaces) {
      const { patienceMaxMs, stuckAfterMs } = this.policyOf(namespace);
      const text = `${patienceMaxMs}/${stuckAfterMs}`;
      const before = this.policies.get(namespace);
      if (before !== undefined && before !== text) changed.add(namespace);
      this.policies.set(namespace, text);
    }
    return changed;
  }
}

/**
 * The offset of a backend's clock is measured again and again, and a little differently each time.
 */
const SMALL_STEP_MS = 1_000;
