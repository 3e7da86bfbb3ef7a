import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { DecidingPolicy } from '../../core/decision';
import type { EngineOptions } from '../engine-context';
import { OWN_NAMESPACE } from '../membership';
import type { NameCapacity } from './name-capacity';

/** Returns the `policyOf` of a backend's engine. */
export type PoliciesInForce = (
  namespaces: { policyOf(namespace: string): NamespacePolicy },
  grantsFromOf: () => number,
  watch: { closedBecause(): string | null },
) => EngineOptions['policyOf'];

/**
 * Combines the policy of a namespace with the instant from which its backend grants after a
 * restore, a data loss or a reshard, with the reason why that backend is closed, and with the room
 * for new names. None of these applies to Lockyard's own locks: they are not in backups, and the
 * process that runs maintenance must be able to clean up what is still held.
 */
export function policiesInForce(
  capacity: Pick<NameCapacity, 'refusal' | 'roomFor'>,
): PoliciesInForce {
  return (namespaces, grantsFromOf, watch) => {
    // This runs for every record that is decided. A backend that has ever lost data has such an
    // instant, and creating an object each time takes 10 % of a busy server's time.
    const restricted = new WeakMap<NamespacePolicy, DecidingPolicy>();
    return (namespace) => {
      const policy = namespaces.policyOf(namespace);
      if (namespace === OWN_NAMESPACE) return policy;
      const grantsFrom = grantsFromOf();
      const closedBecause = watch.closedBecause();
      const fullBecause = capacity.refusal(namespace, policy.maxLocks);
      const room = capacity.roomFor(namespace, policy.maxLocks);
      const isOpen = grantsFrom === 0 && closedBecause === null && fullBecause === null;
      if (isOpen && room === null) return policy;
      const last = restricted.get(policy);
      const isSame =
        last?.grantsFrom === grantsFrom &&
        last.closedBecause === closedBecause &&
        last.fullBecause === fullBecause &&
        (last.roomForNames ?? null) === room;
      if (isSame) return last;
      const roomForNames = room === null ? {} : { roomForNames: room };
      const next = { ...policy, grantsFrom, closedBecause, fullBecause, ...roomForNames };
      restricted.set(policy, next);
      return next;
    };
  };
}
