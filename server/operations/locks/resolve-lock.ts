import type { ServiceActor } from '../../auth/actor';
import { authoriseCall, type WantedAccess } from '../../auth/api-keys/authorise-call';
import { LockyardError } from '../../contract/errors';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { ServiceProcedureName } from '../../contract/service-api';
import type { LockEngine } from '../../engine/lock-engine';
import { noNamespace, notConfigured } from '../../monitoring/projection/monitored-backend';
import type { RecordKey } from '../../storage/record-store';
import type { NamespaceEntry } from '../namespaces/namespace-directory';
import type { OperationContext, Runtime } from '../operation-context';

/** A lock that the calling service may use, and the engine of its backend. */
export interface ResolvedLock {
  engine: LockEngine;
  key: RecordKey;
  /** The service to which the caller's holds belong. */
  service: string;
  /** What the namespace allows. */
  policy: NamespacePolicy;
}

/**
 * Resolves a lock for a service: checks the permission of its key and its rate limit, then finds
 * the namespace and the engine of its backend. Returns a promise only if the namespace is not
 * cached.
 *
 * @param procedure what is called, which the key has to allow
 * @param calls how many plain calls it counts as; 0 for renew, release and cancel, which no limit
 *   may refuse
 * @throws LockyardError `UNAUTHENTICATED`, `FORBIDDEN` outside the key's scope, `RATE_LIMITED`,
 *   `NOT_FOUND` for an unknown namespace, `BACKEND_DOWN` if its backend is not configured here
 */
export function resolveLock(
  ctx: OperationContext,
  procedure: ServiceProcedureName,
  { namespace, name }: RecordKey,
  calls: number,
): ResolvedLock | Promise<ResolvedLock> {
  const withKey = ({ engine, service, policy }: ResolvedNamespace) => ({
    engine,
    key: { namespace, name },
    service,
    policy,
  });
  const resolved = resolveNamespace(ctx, procedure, { namespace, names: [name] }, calls);
  return resolved instanceof Promise ? resolved.then(withKey) : withKey(resolved);
}

interface ResolvedNamespace extends Omit<ResolvedLock, 'key'> {
  caller: ServiceActor;
}

/** Like `resolveLock` for several locks of a namespace, or for all in it that the key may see. */
export function resolveNamespace(
  ctx: OperationContext,
  procedure: ServiceProcedureName,
  wanted: { namespace: string; names?: readonly string[] | undefined },
  calls: number,
): ResolvedNamespace | Promise<ResolvedNamespace> {
  const { namespace, names = [] } = wanted;
  const caller = authoriseService(ctx, { procedure, namespace, names }, calls);
  const { namespaces } = ctx.runtime;
  const resolved = (entry: NamespaceEntry | null) => ({
    engine: engineAt(ctx, namespace, entry),
    caller,
    service: caller.service,
    policy: namespaces.policyOf(namespace),
  });
  const known = namespaces.cached(namespace);
  return known ? resolved(known) : namespaces.get(namespace).then(resolved);
}

/** The caller, if its key allows the call and it is within its rate limit. */
function authoriseService(
  { actor, runtime }: OperationContext,
  wanted: WantedAccess,
  calls: number,
): ServiceActor {
  if (actor?.kind !== 'service') {
    throw new LockyardError('UNAUTHENTICATED', 'An API key is required.');
  }
  authoriseCall(actor, wanted);
  if (calls > 0) runtime.limits.spend(actor, wanted.namespace, calls);
  return actor;
}

/** The engine of the backend that keeps a namespace. */
export async function engineOf(
  ctx: { runtime: Pick<Runtime, 'namespaces' | 'engines'> },
  namespace: string,
): Promise<LockEngine> {
  return engineAt(ctx, namespace, await ctx.runtime.namespaces.get(namespace));
}

/** @param entry the directory's entry for the namespace */
function engineAt(
  { runtime }: { runtime: Pick<Runtime, 'engines'> },
  namespace: string,
  entry: NamespaceEntry | null,
): LockEngine {
  if (!entry) throw noNamespace(namespace);
  const engine = runtime.engines.get(entry.backend);
  if (engine) return engine;
  throw notConfigured(namespace, entry.backend);
}
