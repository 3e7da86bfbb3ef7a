import { LockTimeout } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import type { CallOptions } from '../wire/send-request';
import type { AcquireManyAnswer, Mode, SetGranted } from '../wire/wire';
import { type Grant, proveGrant } from './await-grant';
import { type Ask, GrantWait } from './grant-wait';
import { waitInParts } from './wait-in-parts';

/** Which locks to acquire together, and for which owner. */
export interface MultiLockRequest {
  namespace: string;
  locks: { name: string; mode: Exclude<Mode, 'permit'> }[];
  owner: string;
  leaseMs: number;
  /** The timeout of the whole wait; may be infinite. */
  waitMs: number;
  /** Not sent if undefined: servers of an older release do not know it. */
  holdAtLeastMs: number | undefined;
  meta: Record<string, string>;
}

/** The grants of a set. */
export interface MultiLockGrants {
  byName: ReadonlyMap<string, Grant>;
  /** Releases what is still held of the set. Never rejects. */
  release(): Promise<void>;
}

/** Waits for all of a set as `awaitGrant` does for one lock, and rejects as that does. */
export function awaitMultiLockGrant(
  client: LockyardClient,
  request: MultiLockRequest,
  signal: AbortSignal | undefined,
  traceparent: string | undefined,
): Promise<MultiLockGrants> {
  return waitInParts(client.settings.clock, request.waitMs, signal, async (waitMs) => {
    const wait = new MultiLockWait(client, { ...request, waitMs }, signal, traceparent);
    const byName = await wait.run();
    return { byName, release: () => wait.cancel() };
  });
}

class MultiLockWait extends GrantWait<AcquireManyAnswer, ReadonlyMap<string, Grant>> {
  constructor(
    client: LockyardClient,
    private readonly request: MultiLockRequest,
    signal: AbortSignal | undefined,
    traceparent: string | undefined,
  ) {
    super(client, request.waitMs, signal, traceparent);
  }

  protected send(ask: Ask, options: CallOptions): Promise<AcquireManyAnswer> {
    return this.client.acquireMany({ ...this.request, ...ask }, options);
  }

  protected undo(requestId: string, options: CallOptions): Promise<unknown> {
    const { namespace, owner, locks } = this.request;
    const names = locks.map(({ name }) => name);
    return this.client.cancelMany({ namespace, names, owner, requestId }, options);
  }

  /** Releases the others if one of the holds has ended. */
  protected async prove(
    { grants }: SetGranted,
    sentAt: number,
  ): Promise<ReadonlyMap<string, Grant> | null> {
    const byName = new Map<string, Grant>();
    const bounds = (until: number) => this.bounds(until);
    await Promise.all(
      grants.map(async ({ name, token, waitedMs, expiresAt, expiresInMs, ...more }) => {
        const { waitedForTraceparent } = more;
        const lease = { expiresAt, expiresInMs, sentAt };
        const granted: Grant = { token, waitedMs, ...lease, waitedForTraceparent };
        const grant = await proveGrant(this.client, { ...this.request, name }, granted, bounds);
        if (grant) byName.set(name, grant);
      }),
    );
    if (byName.size === grants.length) return byName;
    await this.cancel();
    return null;
  }

  protected timeout(answer: AcquireManyAnswer): LockTimeout {
    const { locks, waitMs } = this.request;
    const block = 'blockedBy' in answer ? answer.blockedBy[0] : undefined;
    const lockName = 'name' in answer ? answer.name : undefined;
    return new LockTimeout(block?.name ?? lockName ?? locks[0]?.name ?? '', waitMs, {
      holders: block?.holders ?? [],
      queueLength: block?.queueLength ?? ('queueLength' in answer ? answer.queueLength : null),
      frozen: answer.outcome === 'frozen' ? answer.reason : null,
    });
  }
}
