import type { ServiceActor } from '../../../auth/actor';
import type { RecognisedKey } from '../../../auth/api-keys/api-key-verifier';
import { LockyardError } from '../../../contract/errors';
import { readTraceparent } from '../../../contract/traceparent';
import type {
  CallerConnection,
  OperationContext,
  Runtime,
} from '../../../operations/operation-context';

/** One request to the service API, which may carry several calls. */
export interface ServiceContext {
  readonly runtime: Runtime;
  readonly requestId: string;
  readonly address: string;
  /** Whether the request carries a batch, which may not wait. */
  readonly isBatch: boolean;
  readonly connection: CallerConnection;
  /** The header `traceparent` as it was sent. */
  readonly traceparent: unknown;
  /** The service of the request's API key, verified once. Rejects with `UNAUTHENTICATED`. */
  readonly actor: () => Promise<ServiceActor>;
}

/**
 * @param authorization the header that should carry the API key
 * @param known who it was found to be a moment ago
 */
export function createServiceContext(
  request: Omit<ServiceContext, 'actor'>,
  authorization: string | undefined,
  known: ServiceActor | null = null,
): ServiceContext {
  const { runtime, requestId, address, isBatch, connection, traceparent } = request;
  let verified: Promise<ServiceActor> | null = known && Promise.resolve(known);
  const actor = () => {
    verified ??= verifyBearer(runtime, authorization);
    return verified;
  };
  return { runtime, requestId, address, isBatch, connection, traceparent, actor };
}

/** What the operation behind a call is given. */
class ServiceCall implements OperationContext {
  readonly runtime: Runtime;
  readonly address: string;
  readonly requestId: string;
  private readonly connection: CallerConnection;
  private readonly traceHeader: unknown;

  constructor(
    { runtime, address, requestId, connection, traceparent }: ServiceContext,
    readonly actor: ServiceActor,
  ) {
    this.runtime = runtime;
    this.address = address;
    this.requestId = requestId;
    this.connection = connection;
    this.traceHeader = traceparent;
  }

  get signal(): AbortSignal {
    return this.connection.signal;
  }

  hasHungUp(): boolean {
    return this.connection.isClosed;
  }

  get traceparent(): string | undefined {
    return readTraceparent(this.traceHeader);
  }

  onWaiting(): void {
    this.connection.onWaiting();
  }
}

/**
 * The call for its operation. Requires a live API key.
 *
 * @throws LockyardError `UNAUTHENTICATED`
 */
export async function identifyCaller(ctx: ServiceContext): Promise<OperationContext> {
  return new ServiceCall(ctx, await ctx.actor());
}

/** The API key in such a header, if it is known without asking the database; else null. */
export function recognisedKey(runtime: Runtime, header: string | undefined): RecognisedKey | null {
  const bearer = bearerIn(header);
  return bearer === undefined ? null : runtime.apiKeys.recognise(bearer);
}

function bearerIn(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

async function verifyBearer(runtime: Runtime, header: string | undefined): Promise<ServiceActor> {
  const bearer = bearerIn(header);
  if (bearer) return runtime.apiKeys.verify(bearer);
  throw new LockyardError('UNAUTHENTICATED', 'Send an API key as "Authorization: Bearer <key>".');
}
