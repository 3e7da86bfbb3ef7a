import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getTRPCErrorFromUnknown, type TRPCError } from '@trpc/server';
import { ERROR_TABLE } from '../../../contract/error-table';
import type { Runtime } from '../../../operations/operation-context';
import { errorShape, refusalOf } from '../../rpc/refusal';
import type { CallableProcedure } from '../../rpc/service/service-procedures';
import { isSecure } from '../requests/forwarded';
import { isPlainRequest, plainInput } from '../requests/plain-request';
import { refusalHeaders } from '../requests/refuse';
import { newRequestId } from '../requests/request-scope';
import { apiAnswerHeaders } from '../requests/security-headers';
import { refuseUnsafeKeys } from '../requests/unsafe-keys';
import { type ServiceWork, serviceWork } from '../scheduling/call-class';
import type { Admission, AdmissionControl } from './admission';
import { SERVICE_PREFIX, serviceContextOf } from './service-handler';
import { logFailedCall } from './trpc-handler';

/** What is prepared once for plain calls of a procedure. */
interface PlainCall {
  procedure: CallableProcedure;
  method: 'GET' | 'POST';
  work: ServiceWork;
}

/** One call that is answered without tRPC's adapter. */
interface FastPathCall {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  path: string;
  type: CallableProcedure['kind'];
  isSecure: boolean;
  admission: Admission;
}

type FromRequest = Pick<FastPathCall, 'req' | 'res' | 'admission'>;

/**
 * The fast path for plain calls of the service API, one per request: it avoids creating web
 * `Request` and `Response` objects, which are most of the cost of such a call. Its answers equal
 * those of the tRPC handler, which uses the same procedures and takes all other calls.
 */
export class FastPath {
  private readonly plainCalls: ReadonlyMap<string, PlainCall>;

  constructor(
    private readonly runtime: Runtime,
    private readonly control: AdmissionControl,
    procedures: readonly CallableProcedure[],
  ) {
    this.plainCalls = new Map(
      procedures.map((procedure) => {
        const method = procedure.kind === 'query' ? 'GET' : 'POST';
        const work = serviceWork(procedure.name);
        return [SERVICE_PREFIX + procedure.name, { procedure, method, work }];
      }),
    );
  }

  /**
   * @param otherwise answers a request that looked plain but was not
   * @returns whether the request is taken
   */
  take(
    req: IncomingMessage,
    res: ServerResponse,
    otherwise: (req: IncomingMessage, res: ServerResponse, body: Buffer) => void,
  ): boolean {
    const url = req.url ?? '';
    const mark = url.indexOf('?');
    const found = this.plainCalls.get(mark < 0 ? url : url.slice(0, mark));
    if (!found || found.method !== req.method || !isPlainRequest(req)) return false;
    const { procedure, work } = found;
    const answer = (text: string, body: Buffer) => {
      this.control.admit(req, work, body.length, (admission) => {
        const input = jsonOf(text);
        if (input) {
          void this.run(procedure, input.value, { req, res, admission });
        } else {
          admission.turn.end();
          otherwise(req, res, body);
        }
      });
    };
    if (procedure.kind === 'mutation') {
      if (mark >= 0) return false;
      collect(req, (body) => answer(isUtf8(body) ? body.toString() : '', body));
      return true;
    }
    const text = mark < 0 ? null : plainInput(url.slice(mark + 1));
    if (text === null) return false;
    answer(text, NO_BODY);
    return true;
  }

  private async run(
    { name, kind, call: callProcedure }: CallableProcedure,
    input: unknown,
    { req, res, admission }: FromRequest,
  ): Promise<void> {
    const { runtime } = this;
    const call: FastPathCall = {
      req,
      res,
      requestId: newRequestId(),
      path: name,
      type: kind,
      admission,
      isSecure: isSecure(req, runtime.config.trustedProxies),
    };
    try {
      const ctx = serviceContextOf(runtime, call, { isBatch: false, admission });
      write(call, 200, { result: { data: await callProcedure(ctx, () => input) } });
    } catch (cause) {
      const error = getTRPCErrorFromUnknown(cause);
      logFailedCall(runtime.log, error, call);
      sendError(call, error);
    } finally {
      admission.turn.end();
    }
  }
}

const NO_BODY = Buffer.alloc(0);

/** The whole body; `done` is never called if the caller hangs up before its end. */
function collect(req: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}

/** Null if the text is refused, for whatever reason. */
function jsonOf(text: string): { value: unknown } | null {
  try {
    refuseUnsafeKeys(text);
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Answers a call with the reason for its failure. */
function sendError(call: FastPathCall, error: TRPCError): void {
  const { requestId, path, type } = call;
  const refusal = refusalOf(error, type);
  const more = Object.entries(refusalHeaders([refusal])).flat();
  const body = { error: errorShape(refusal, { path, requestId }) };
  write(call, ERROR_TABLE[refusal.reason].httpStatus, body, more);
}

function write(
  { res, requestId, isSecure }: FastPathCall,
  status: number,
  answer: object,
  more: string[] = [],
): void {
  const body = JSON.stringify(answer);
  res.writeHead(status, [
    ...apiAnswerHeaders(isSecure),
    'X-Request-Id',
    requestId,
    'Content-Type',
    'application/json',
    'Vary',
    'trpc-accept, accept',
    'Content-Length',
    String(Buffer.byteLength(body)),
    ...more,
  ]);
  endWith(res, body);
}

/**
 * Ends an answer of known length. `end(body)` would pass the socket a second, empty piece for the
 * end, and several pieces are first copied together; with `write`, head and body are one piece.
 */
function endWith(res: ServerResponse, body: string): void {
  const { socket } = res;
  socket?.cork();
  res.write(body);
  socket?.uncork();
  res.end();
}
