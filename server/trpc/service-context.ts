import type { ServiceActor } from '../auth/actor';
import { LockyardError } from '../domain/errors';
import type { CallerLine, Runtime } from '../operations/operation-context';

/** One request to the service API, which may carry several calls. */
export interface ServiceContext {
  readonly runtime: Runtime;
  readonly requestId: string;
  readonly address: string;
  /** Whether the request carries a batch, which may not wait. */
  readonly isBatch: boolean;
  readonly line: CallerLine;
  /** The service behind the request's API key. Verified once a request. Rejects with `UNAUTHENTICATED`. */
  readonly actor: () => Promise<ServiceActor>;
}

/** @param authorization the header that should carry the API key */
export function createServiceContext(
  request: Omit<ServiceContext, 'actor'>,
  authorization: string | undefined,
): ServiceContext {
  const { runtime, requestId, address, isBatch, line } = request;
  let verified: Promise<ServiceActor> | null = null;
  const actor = () => {
    verified ??= verifyBearer(runtime, authorization);
    return verified;
  };
  return { runtime, requestId, address, isBatch, line, actor };
}

async function verifyBearer(runtime: Runtime, header: string | undefined): Promise<ServiceActor> {
  const bearer = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  if (bearer) return runtime.apiKeys.verify(bearer);
  throw new LockyardError('UNAUTHENTICATED', 'Send an API key as "Authorization: Bearer <key>".');
}
