import type { RequestIdentity } from '../../../core/request-fingerprint';
import { requestIdentity } from '../../../engine/request-identity';

interface MultiLockRequest {
  service: string;
  namespace: string;
  names: string[];
  requestId: string;
  input: Record<string, unknown>;
}

/**
 * The identity of a request for several locks: of these very locks, in whatever order they were
 * named.
 */
export function multiLockIdentity({ names, ...request }: MultiLockRequest): RequestIdentity {
  return requestIdentity({
    ...request,
    verb: 'acquireMany',
    name: JSON.stringify([...names].sort()),
  });
}
