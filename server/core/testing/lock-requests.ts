import type { Mode } from '../../contract/primitives';
import type {
  AcquireCommand,
  CancelCommand,
  DetachCommand,
  ExtendCommand,
  ForceReleaseCommand,
  FreezeCommand,
  GiveUpCommand,
  ReassignCommand,
  ReleaseCommand,
  ReleaseRequestCommand,
  RenewCommand,
  RevertGrantCommand,
  SetCapacityCommand,
} from '../lock/lock-command';
import type { RequestIdentity } from '../request-fingerprint';

let lastAnonymous = 0;

/**
 * The identity of a request: the same `id` with another `input` has the same key and another hash.
 */
export function requestOf(id: string | null, input = ''): RequestIdentity {
  if (id === null) {
    lastAnonymous += 1;
    return { key: code(`anonymous ${lastAnonymous}`), inputHash: code(input), remembered: false };
  }
  return { key: code(id), inputHash: code(input), remembered: true };
}

/** 22 characters, the first of which already differ between texts; good enough for tests. */
function code(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const digits = [...hash.toString(36).padStart(7, '0')].reverse().join('');
  return `${digits}${text.replace(/[^A-Za-z0-9]/g, '_')}`.padEnd(22, '_').slice(0, 22);
}

/** A caller as `service/owner`. */
export type Caller = `${string}/${string}`;

const partiesOf = (caller: Caller) => {
  const [service = '', owner = ''] = caller.split('/');
  return { service, owner };
};

/** How an acquire differs from the default one: a lease of 10 s, no wait, no request id. */
export interface AcquireOptions {
  leaseMs?: number;
  waitMs?: number;
  mode?: Mode;
  permits?: number;
  capacity?: number;
  reentrant?: boolean;
  requestId?: string;
  meta?: Record<string, string>;
  holdAtLeastMs?: number;
  traceparent?: string;
}

export function acquire(caller: Caller, options: AcquireOptions = {}): AcquireCommand {
  const { leaseMs = 10_000, waitMs = 0, reentrant = false, meta = {}, requestId } = options;
  const { mode = 'exclusive', permits, capacity, holdAtLeastMs } = options;
  const wanted = {
    ...(permits === undefined ? {} : { permits }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(holdAtLeastMs === undefined ? {} : { holdAtLeastMs }),
  };
  const input = JSON.stringify([caller, leaseMs, waitMs, mode, reentrant, meta, wanted]);
  const request = requestOf(requestId === undefined ? null : `${caller} ${requestId}`, input);
  const asked = { leaseMs, waitMs, mode, reentrant, meta };
  const { traceparent } = options;
  const trace = traceparent === undefined ? {} : { traceparent };
  return { verb: 'acquire', ...partiesOf(caller), ...asked, ...wanted, ...trace, request };
}

export const cancel = (caller: Caller, requestId: string): CancelCommand => ({
  verb: 'cancel',
  ...partiesOf(caller),
  request: requestOf(`${caller} ${requestId}`),
});

export const giveUp = ({ request }: AcquireCommand): GiveUpCommand => ({ verb: 'giveUp', request });

export const detach = ({ request }: AcquireCommand): DetachCommand => ({ verb: 'detach', request });

export const renew = (caller: Caller, token: number, leaseMs = 10_000): RenewCommand => ({
  verb: 'renew',
  ...partiesOf(caller),
  token,
  leaseMs,
});

export function release(caller: Caller, token: number, requestId?: string): ReleaseCommand {
  const request =
    requestId === undefined ? null : requestOf(`release ${caller} ${requestId}`, String(token));
  return { verb: 'release', ...partiesOf(caller), token, request };
}

export const revertGrant = (token: number, requestId?: string): RevertGrantCommand => ({
  verb: 'revertGrant',
  token,
  request: requestId === undefined ? null : requestOf(`revert ${requestId}`),
});

export const forceRelease = (token: number, requestId = 'act'): ForceReleaseCommand => ({
  verb: 'forceRelease',
  token,
  by: 'ada',
  reason: 'it hangs',
  request: requestOf(`force ${requestId}`, String(token)),
});

export const reassign = (token: number, ticket: number, requestId = 'act'): ReassignCommand => ({
  verb: 'reassign',
  token,
  ticket,
  by: 'ada',
  reason: 'a hotfix first',
  request: requestOf(`reassign ${requestId}`, `${token} ${ticket}`),
});

export const extend = (token: number, extendMs: number, requestId = 'act'): ExtendCommand => ({
  verb: 'extend',
  token,
  extendMs,
  by: 'ada',
  reason: 'a slow import',
  request: requestOf(`extend ${requestId}`, `${token} ${extendMs}`),
});

const releaseRequest = (
  verb: ReleaseRequestCommand['verb'],
  token: number,
  requestId: string,
): ReleaseRequestCommand => ({
  verb,
  token,
  by: 'ada',
  reason: 'a deploy waits',
  request: requestOf(`${verb} ${requestId}`, String(token)),
});

export const askRelease = (token: number, requestId = 'act') =>
  releaseRequest('askRelease', token, requestId);

export const stopRenewals = (token: number, requestId = 'act') =>
  releaseRequest('stopRenewals', token, requestId);

const freezing = (verb: FreezeCommand['verb'], requestId: string): FreezeCommand => ({
  verb,
  by: 'ada',
  reason: 'a repair',
  request: requestOf(`${verb} ${requestId}`),
});

export const freeze = (requestId = 'act') => freezing('freeze', requestId);
export const unfreeze = (requestId = 'act') => freezing('unfreeze', requestId);

export const setCapacity = (
  seen: number,
  capacity: number,
  requestId = 'act',
): SetCapacityCommand => ({
  verb: 'setCapacity',
  seen,
  capacity,
  by: 'ada',
  reason: 'a small database',
  request: requestOf(`setCapacity ${requestId}`, `${seen} ${capacity}`),
});
