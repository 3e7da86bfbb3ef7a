import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { Meta } from '../../contract/primitives';

/** The value of `role` in the metadata of a hold for which standbys always wait. */
const LEADER_ROLE = 'leader';

/**
 * Whether it is normal that callers always wait for a lock, as the standbys of a leader do, because
 * its namespace or the metadata of a holder says so.
 */
export function isStandbyExpected(
  { holds }: { holds: readonly { meta?: Meta }[] },
  { policy }: { policy: Pick<NamespacePolicy, 'standbyExpected'> },
): boolean {
  return policy.standbyExpected || holds.some(({ meta }) => meta?.role === LEADER_ROLE);
}
