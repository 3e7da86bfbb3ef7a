import type { RecordKey } from '../backends/record-store';
import type { RequestIdentity } from '../domain/request-tag';
import { requestIdentity } from '../engine/request-identity';

/** What operators do to locks. */
type LockAct = 'forceRelease' | 'extend' | 'askRelease' | 'stopRenewals' | 'freeze' | 'unfreeze';

/** The request id of an operator's act: made from its audit intent alone, so that its outcome can be asked for later. */
export function actRequest(
  verb: LockAct | `counter.${'create' | 'adjust' | 'setBounds'}`,
  key: RecordKey,
  intent: string,
): RequestIdentity {
  // A service's name has no space: no service can ever make the same identity.
  return requestIdentity({ service: 'the console', verb, ...key, requestId: intent, input: {} });
}
