import { LockTimeout } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import type { CallOptions } from '../wire/send-request';
import type { AcquireManyAnswer, Mode, SetGranted } from '../wire/wire';
import { type Grant, proveGrant } from './await-grant';
import { GrantWait } from './grant-wait';
import { waitInParts } from './wait-in-parts';

/** Which locks to take together, and for which owner. */
export interface MultiLockRequest {
  namespace: string;
  locks: { name: string; mode: Exclude<Mode, 'permit'> }[];
  owner: string;
  leaseMs: number;
  /** The whole patience; may be infinite. */
  waitMs: number;
  /** Undefined is not sent: servers of an older release do not know it. */
  holdAtLeastMs: number | undefined;
  meta: Record<string, string>;
}

/** A set as it was granted. */
export interface MultiLockGrants {
  byName: ReadonlyMap<string, Grant>;
  /** Gives back what is left of it. Never rejects. */
  release(): Promise<void>;
}

/** Waits for all of a set as `awaitGrant` does for one lock, and rejects as that does. */
export function awaitMultiLockGrant(
  client: LockyardClient,
  wish: MultiLockRequest,
  signal: AbortSignal | undefined,
  traceparent: string | undefined,
): Promise<MultiLockGrants> {
  return waitInParts(wish.waitMs, signal, async (waitMs) => {
    const wait = new MultiLockWait(client, { ...wish, waitMs }, signal, traceparent);
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

  protected send(requestId: string, options: CallOptions): Promise<AcquireManyAnswer> {
    return this.client.acquireMany({ ...this.request, requestId }, options);
  }

  protected undo(requestId: string, options: CallOptions): Promise<unknown> {
    const { namespace, owner, locks } = this.request;
    const names = locks.map(({ name }) => name);
    return this.client.cancelMany({ namespace, names, owner, requestId }, options);
  }

  /** Releases the others if one of them is over. */
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
