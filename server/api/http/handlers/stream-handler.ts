import type { IncomingMessage, ServerResponse } from 'node:http';
import { getTRPCErrorFromUnknown, TRPCError } from '@trpc/server';
import { errorShape, refusalOf } from '../../rpc/refusal';
import type { ServiceContext } from '../../rpc/service/service-context';
import type { CallableProcedure, SendValue } from '../../rpc/service/service-procedures';
import { noteAwaited } from '../connections/unread-connections';
import { readBody } from '../requests/read-body';
import { refuse } from '../requests/refuse';
import type { RequestScope } from '../requests/request-scope';
import { setApiHeaders } from '../requests/security-headers';
import { refuseUnsafeKeys } from '../requests/unsafe-keys';
import type { Admission } from './admission';
import { examineCall } from './api-call';
import { logFailedCall } from './trpc-handler';

const EVENT_STREAM = 'text/event-stream';

/** Whether a request asks for an event stream. */
function asksForStream({ headers }: IncomingMessage): boolean {
  const types = (headers.accept ?? '').split(',').map((type) => type.split(';', 1)[0]?.trim());
  return types.includes(EVENT_STREAM);
}

interface StreamHandlerOptions {
  prefix: string;
  procedures: readonly CallableProcedure[];
  log: Parameters<typeof logFailedCall>[0];
  /** Refuses a caller before its body is read. Rejects with `LockyardError`. */
  examine(scope: RequestScope, path: string): Promise<void>;
  /** Waits for a request's turn. `bytes` is the length of its body. */
  admit(req: IncomingMessage, path: string, bytes: number): Promise<Admission>;
  createContext(scope: RequestScope, admission: Admission): ServiceContext;
}

/**
 * Answers procedures of the service API as event streams, one event per value, with the position to
 * resume from as its id. A refusal before the first value is an ordinary answer; a later one is a
 * last event, `refused`.
 */
export class StreamHandler {
  private readonly streams: ReadonlyMap<string, CallableProcedure>;
  private readonly kinds: ReadonlyMap<string, CallableProcedure['kind']>;

  constructor(private readonly options: StreamHandlerOptions) {
    const { prefix, procedures } = options;
    const withStreams = procedures.filter(({ stream }) => stream !== null);
    this.streams = new Map(withStreams.map((each) => [prefix + each.name, each]));
    this.kinds = new Map(procedures.map(({ name, kind }) => [name, kind]));
  }

  /** Whether a request asks for a stream of a procedure that has one. */
  takes({ req, pathname, query }: RequestScope): boolean {
    return query === '' && this.streams.has(pathname) && asksForStream(req);
  }

  /** @throws LockyardError for a request that is refused before any procedure */
  async answer(scope: RequestScope): Promise<void> {
    const { req, res, requestId, pathname } = scope;
    const { prefix, log, examine, admit, createContext } = this.options;
    const procedure = this.streams.get(pathname);
    if (!procedure?.stream) return;
    setApiHeaders(res);
    const { path } = examineCall(scope, prefix, this.kinds);
    await examine(scope, path);
    const body = await readBody(scope);
    if (body === null) return;
    refuseUnsafeKeys(body);
    const admission = await admit(req, path, body.length);
    try {
      const ctx = createContext(scope, admission);
      await procedure.stream(ctx, () => inputOf(req, body), sendTo(res, admission));
      // A stream that ends before its first value still needs its headers.
      if (!res.headersSent) begin(res);
      res.end();
    } catch (cause) {
      const error = getTRPCErrorFromUnknown(cause);
      logFailedCall(log, error, { path, type: procedure.kind, requestId });
      const refusal = refusalOf(error, procedure.kind);
      if (!res.headersSent) return refuse(res, refusal, { path, requestId });
      const shape = errorShape(refusal, { path, requestId });
      res.end(`event: refused\ndata: ${JSON.stringify({ error: shape })}\n\n`);
    } finally {
      admission.turn.end();
    }
  }
}

/** The input in a body; a stream that was cut off resumes after the id that its caller names. */
function inputOf({ headers }: IncomingMessage, body: string): unknown {
  const input = parsed(body);
  const lastId = headers['last-event-id'];
  if (typeof lastId !== 'string' || lastId === '') return input;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? { ...input, since: lastId } : input;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new TRPCError({ code: 'BAD_REQUEST', cause });
  }
}

/** Sends values one by one: each waits until the connection has taken the previous one. */
function sendTo(res: ServerResponse, { turn }: Admission): SendValue {
  return async (value) => {
    if (!res.headersSent) begin(res);
    turn.end();
    const event = `id: ${value.position}\ndata: ${JSON.stringify(value)}\n\n`;
    if (!res.write(event) && !res.closed) await drained(res);
  };
}

/** Resolves when the connection has taken what was written, or is closed. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      res.off('drain', finish).off('close', finish);
      resolve();
    };
    res.once('drain', finish).once('close', finish);
  });
}

function begin(res: ServerResponse): void {
  noteAwaited(res);
  res.writeHead(200, { 'Content-Type': EVENT_STREAM, 'X-Accel-Buffering': 'no' });
}
