import type { AcquireManyAnswer, MultiLockGranted } from '../../contract/multi-lock';
import type {
  AcquireMultiLockCommand,
  CancelMultiLockCommand,
  MultiLockMode,
} from '../../core/multi-lock/multi-lock-command';
import type { RecordKey } from '../../storage/record-store';
import type { WaitOptions } from '../lock-engine';
import { anonymousRequest, requestIdentity } from '../request-identity';
import { type EngineOwner, WAIT } from './engine-rig';

/**
 * How a multi-lock differs from the default: exclusive, a lease of 10 s, no wait, no request id.
 */
export interface MultiLockOptions {
  leaseMs?: number;
  waitMs?: number;
  /** Of the first lock. */
  mode?: MultiLockMode;
  requestId?: string;
}

const SERVICE = 'orders';

/** An acquire of a multi-lock as a service sends it. */
function multiLockCommand(
  keys: RecordKey[],
  owner: string,
  parts: MultiLockOptions = {},
): AcquireMultiLockCommand {
  const { leaseMs = 10_000, waitMs = 0, requestId } = parts;
  const locks = keys.map(({ name }, i) => ({
    name,
    mode: i === 0 && parts.mode ? parts.mode : ('exclusive' as const),
  }));
  const asked = { owner, locks, leaseMs, waitMs, meta: {} };
  const request = requestId === undefined ? anonymousRequest() : identityOf(keys, requestId, asked);
  return { verb: 'acquireSet', service: SERVICE, ...asked, request };
}

export function acquireMultiLock(
  { engine }: EngineOwner,
  keys: RecordKey[],
  owner: string,
  parts: MultiLockOptions & { wait?: Partial<WaitOptions> } = {},
): Promise<AcquireManyAnswer> {
  const wait = { ...WAIT, ...parts.wait };
  return engine.multiLocks.acquire(
    keys[0]?.namespace ?? '',
    multiLockCommand(keys, owner, parts),
    wait,
  );
}

/** Acquires a multi-lock; throws unless it is granted. */
export async function takeMultiLock(
  ...asked: Parameters<typeof acquireMultiLock>
): Promise<MultiLockGranted> {
  const answer = await acquireMultiLock(...asked);
  if (answer.outcome !== 'granted') throw new Error(`Expected a grant, got ${answer.outcome}.`);
  return answer;
}

export function cancelMultiLock(
  { engine }: EngineOwner,
  keys: RecordKey[],
  owner: string,
  requestId: string,
) {
  const names = keys.map(({ name }) => name);
  const request = identityOf(keys, requestId, {});
  const command: CancelMultiLockCommand = {
    verb: 'cancelSet',
    service: SERVICE,
    owner,
    names,
    request,
  };
  return engine.multiLocks.cancel(keys[0]?.namespace ?? '', command);
}

function identityOf(keys: RecordKey[], requestId: string, input: Record<string, unknown>) {
  const { namespace = '' } = keys[0] ?? {};
  const name = JSON.stringify(keys.map((key) => key.name).sort());
  return requestIdentity({
    service: SERVICE,
    verb: 'acquireMany',
    namespace,
    name,
    requestId,
    input,
  });
}
