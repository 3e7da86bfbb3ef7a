import type { ServiceActor } from '../../auth/actor';
import { LockyardError } from '../../contract/errors';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { LockEngine } from '../../engine/lock-engine';
import type { RecordKey } from '../../storage/record-store';
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
 * the namespace and the engine of its backend.
 *
 * @param calls how many plain calls it counts as; 0 for renew, release and cancel, which no limit
 *   may refuse
 * @throws LockyardError `UNAUTHENTICATED`, `FORBIDDEN` outside the key's scope, `RATE_LIMITED`,
 *   `NOT_FOUND` for an unknown namespace, `BACKEND_DOWN` if its backend is not configured here
 */
export async function resolveLock(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
  calls: number,
): Promise<ResolvedLock> {
  const caller = authoriseService(ctx, namespace, calls);
  const engine = await engineOf(ctx, namespace);
  const policy = ctx.runtime.namespaces.policyOf(namespace);
  return { engine, key: { namespace, name }, service: caller.service, policy };
}

/** The same for a namespace as a whole. */
export async function resolveNamespace(
  ctx: OperationContext,
  namespace: string,
  calls: number,
): Promise<Omit<ResolvedLock, 'key'>> {
  const caller = authoriseService(ctx, namespace, calls);
  const engine = await engineOf(ctx, namespace);
  const policy = ctx.runtime.namespaces.policyOf(namespace);
  return { engine, service: caller.service, policy };
}

/** The caller, if its key is valid for this namespace and it is within its rate limit. */
function authoriseService(
  { actor, runtime }: OperationContext,
  namespace: string,
  calls: number,
): ServiceActor {
  if (actor?.kind !== 'service') {
    throw new LockyardError('UNAUTHENTICATED', 'An API key is required.');
  }
  if (actor.isWitness) {
    throw new LockyardError('FORBIDDEN', 'The API key of a witness can only report on processes.');
  }
  if (!actor.namespaces.includes(namespace)) {
    throw new LockyardError('FORBIDDEN', `This API key has no access to namespace "${namespace}".`);
  }
  if (calls > 0) runtime.limits.spend(actor, namespace, calls);
  return actor;
}

/** The engine of the backend that keeps a namespace. */
export async function engineOf(
  { runtime }: { runtime: Pick<Runtime, 'namespaces' | 'engines'> },
  namespace: string,
): Promise<LockEngine> {
  const { namespaces } = runtime;
  const entry = namespaces.cached(namespace) ?? (await namespaces.get(namespace));
  if (!entry) throw new LockyardError('NOT_FOUND', `There is no namespace "${namespace}".`);
  const engine = runtime.engines.get(entry.backend);
  if (engine) return engine;
  throw new LockyardError(
    'BACKEND_DOWN',
    `Namespace "${namespace}" is on backend "${entry.backend}", not configured on this server.`,
  );
}
