import type { RecordKey } from '../backends/record-store';
import { LockyardError } from '../domain/errors';
import type { NamespacePolicy } from '../domain/namespace-policy';
import type { LockEngine } from '../engine/lock-engine';
import type { OperationContext, Runtime } from './operation-context';

/** A lock that the calling service may use, and the engine that keeps it. */
export interface ReachedLock {
  engine: LockEngine;
  key: RecordKey;
  /** What the caller's holds are filed under. */
  service: string;
  /** What the namespace allows. */
  policy: NamespacePolicy;
}

/**
 * Finds a service's way to a lock: permission by the scope of its key, then the namespace, then the backend.
 *
 * @throws LockyardError `UNAUTHENTICATED`, `FORBIDDEN` outside the key's scope, `NOT_FOUND` for an unknown namespace,
 *   `BACKEND_DOWN` where its backend is not served by this process
 */
export async function reachLock(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): Promise<ReachedLock> {
  const service = permittedService(ctx, namespace);
  const engine = await engineOf(ctx, namespace);
  const policy = ctx.runtime.namespaces.policyOf(namespace);
  return { engine, key: { namespace, name }, service, policy };
}

/** The same for a namespace as a whole. */
export async function reachNamespace(
  ctx: OperationContext,
  namespace: string,
): Promise<Omit<ReachedLock, 'key'>> {
  const service = permittedService(ctx, namespace);
  const engine = await engineOf(ctx, namespace);
  const policy = ctx.runtime.namespaces.policyOf(namespace);
  return { engine, service, policy };
}

/** Which service calls, if its key is for this namespace. */
function permittedService({ actor }: OperationContext, namespace: string): string {
  if (actor?.kind !== 'service') {
    throw new LockyardError('UNAUTHENTICATED', 'This needs an API key.');
  }
  if (actor.namespaces.includes(namespace)) return actor.service;
  throw new LockyardError('FORBIDDEN', `This API key is not for the namespace "${namespace}".`);
}

/** The engine of the backend that keeps a namespace. */
export async function engineOf(
  { runtime }: { runtime: Pick<Runtime, 'namespaces' | 'engines'> },
  namespace: string,
): Promise<LockEngine> {
  const { namespaces } = runtime;
  const entry = namespaces.atHand(namespace) ?? (await namespaces.get(namespace));
  if (!entry) throw new LockyardError('NOT_FOUND', `There is no namespace "${namespace}".`);
  const engine = runtime.engines.get(entry.backend);
  if (engine) return engine;
  throw new LockyardError(
    'BACKEND_DOWN',
    `The namespace "${namespace}" lives on the backend "${entry.backend}", which this server does not serve.`,
  );
}
