import type { ServiceActor } from '../../../auth/actor';
import type { RecognisedKey } from '../../../auth/api-keys/api-key-verifier';
import { LockyardError } from '../../../contract/errors';
import { readTraceparent } from '../../../contract/traceparent';
import type {
  CallerConnection,
  OperationContext,
  Runtime,
} from '../../../operations/operation-context';

/** A request to the service API before its caller is identified. It may carry several calls. */
export interface ServiceRequest {
  readonly runtime: Runtime;
  readonly requestId: string;
  readonly address: string;
  /** Whether the request carries a batch, which may not wait. */
  readonly isBatch: boolean;
  readonly connection: CallerConnection;
  /** The header `traceparent` as it was sent. */
  readonly traceparent: unknown;
  /** The header that should carry the API key. */
  readonly authorization: string | undefined;
}

/** A request with its caller. */
export interface ServiceContext {
  readonly request: ServiceRequest;
  readonly requestId: string;
  /** The service of the request's API key. A promise rejects with `UNAUTHENTICATED`. */
  readonly actor: ServiceActor | Promise<ServiceActor>;
}

/** Verifies the API key once, when the caller is first asked for. */
class VerifiedOnce implements ServiceContext {
  readonly requestId: string;

  constructor(
    readonly request: ServiceRequest,
    private known: ServiceActor | Promise<ServiceActor> | null,
  ) {
    this.requestId = request.requestId;
  }

  get actor(): ServiceActor | Promise<ServiceActor> {
    const { runtime, authorization } = this.request;
    this.known ??= verifyBearer(runtime, authorization);
    return this.known;
  }
}

/** @param known the caller, if identified a moment ago */
export function createServiceContext(
  request: ServiceRequest,
  known: ServiceActor | null,
): ServiceContext {
  return new VerifiedOnce(request, known);
}

/** The context of the operation behind a call. */
class ServiceCall implements OperationContext {
  readonly runtime: Runtime;

  constructor(
    private readonly request: ServiceRequest,
    readonly actor: ServiceActor,
  ) {
    this.runtime = request.runtime;
  }

  get address(): string {
    return this.request.address;
  }

  get requestId(): string {
    return this.request.requestId;
  }

  get signal(): AbortSignal {
    return this.request.connection.signal;
  }

  hasHungUp(): boolean {
    return this.request.connection.isClosed;
  }

  get traceparent(): string | undefined {
    return readTraceparent(this.request.traceparent);
  }

  onWaiting(): void {
    this.request.connection.onWaiting();
  }
}

/**
 * The call as the context of its operation. Requires a live API key: a promise rejects with
 * `UNAUTHENTICATED`.
 */
export function identifyCaller({
  request,
  actor,
}: ServiceContext): OperationContext | Promise<OperationContext> {
  if (!(actor instanceof Promise)) return new ServiceCall(request, actor);
  return actor.then((verified) => new ServiceCall(request, verified));
}

/**
 * The API key in an `Authorization` header, if it is valid without asking the database; else null.
 */
export function recognisedKey(runtime: Runtime, header: string | undefined): RecognisedKey | null {
  const bearer = bearerIn(header);
  return bearer === undefined ? null : runtime.apiKeys.recognise(bearer);
}

function bearerIn(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/**
 * The service whose API key is in an `Authorization` header. Rejects with `UNAUTHENTICATED`, and as
 * `ApiKeyVerifier`.
 */
export async function verifyBearer(
  runtime: Runtime,
  header: string | undefined,
): Promise<ServiceActor> {
  const bearer = bearerIn(header);
  if (bearer) return runtime.apiKeys.verify(bearer);
  throw new LockyardError('UNAUTHENTICATED', 'Send an API key as "Authorization: Bearer <key>".');
}
