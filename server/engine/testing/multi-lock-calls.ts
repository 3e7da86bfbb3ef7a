import type { AcquireSetAnswer, SetGranted } from '../../contract/multi-lock/answers';
import type { Mode } from '../../core/lock/lock-record';
import type { AcquireSetCommand, CancelSetCommand } from '../../core/multi-lock/multi-lock-command';
import type { RecordKey } from '../../storage/record-store';
import type { WaitOptions } from '../lock-engine';
import { anonymousRequest, requestIdentity } from '../request-identity';
import { type Member, WAIT } from './engine-rig';

/**
 * How a set differs from the plainest one: exclusive, 10 s of lease, no patience, no request id.
 */
export interface SetAskParts {
  leaseMs?: number;
  waitMs?: number;
  /** Of the first lock. */
  mode?: Mode;
  requestId?: string;
}

const SERVICE = 'orders';

/** A set as a service sends it. */
function setAskOf(keys: RecordKey[], owner: string, parts: SetAskParts = {}): AcquireSetCommand {
  const { leaseMs = 10_000, waitMs = 0, requestId } = parts;
  const locks = keys.map(({ name }, i) => ({
    name,
    mode: i === 0 && parts.mode ? parts.mode : ('exclusive' as const),
  }));
  const asked = { owner, locks, leaseMs, waitMs, meta: {} };
  const request = requestId === undefined ? anonymousRequest() : identityOf(keys, requestId, asked);
  return { verb: 'acquireSet', service: SERVICE, ...asked, request };
}

export function acquireSet(
  { engine }: Pick<Member, 'engine'>,
  keys: RecordKey[],
  owner: string,
  parts: SetAskParts & { wait?: Partial<WaitOptions> } = {},
): Promise<AcquireSetAnswer> {
  const wait = { ...WAIT, ...parts.wait };
  return engine.sets.acquire(keys[0]?.namespace ?? '', setAskOf(keys, owner, parts), wait);
}

/** Acquires a set, and must be granted. */
export async function takeSet(...asked: Parameters<typeof acquireSet>): Promise<SetGranted> {
  const answer = await acquireSet(...asked);
  if (answer.outcome !== 'granted') throw new Error(`Expected a grant, got ${answer.outcome}.`);
  return answer;
}

export function cancelSet(
  { engine }: Pick<Member, 'engine'>,
  keys: RecordKey[],
  owner: string,
  requestId: string,
) {
  const names = keys.map(({ name }) => name);
  const request = identityOf(keys, requestId, {});
  const command: CancelSetCommand = { verb: 'cancelSet', service: SERVICE, owner, names, request };
  return engine.sets.cancel(keys[0]?.namespace ?? '', command);
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
