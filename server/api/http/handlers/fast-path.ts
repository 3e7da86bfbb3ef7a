import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getTRPCErrorFromUnknown, type TRPCError } from '@trpc/server';
import type { NetworkList } from '../../../platform/network-list';
import { ERROR_TABLE, retryAfterOf } from '../../rpc/error-table';
import { errorShape, refusalOf } from '../../rpc/refusal';
import type { ServiceContext } from '../../rpc/service/service-context';
import type { CallableProcedure } from '../../rpc/service/service-procedures';
import { isSecure } from '../requests/forwarded';
import { isPlainRequest, plainInput } from '../requests/plain-request';
import { refusePrototypeKeys } from '../requests/read-body';
import { retryAfterSeconds } from '../requests/refuse';
import { newRequestId } from '../requests/request-scope';
import { apiAnswerHeaders } from '../requests/security-headers';
import type { Admission, Admit } from './admission';

/** One call that is answered without the stock adapter. */
export interface FastPathCall {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  path: string;
  type: CallableProcedure['kind'];
  isSecure: boolean;
  admission: Admission;
}

export interface FastPathOptions {
  /** What its paths begin with, such as `/api/v1/`. */
  prefix: string;
  procedures: readonly CallableProcedure[];
  /** Whose forwarding headers are believed. */
  proxies: NetworkList;
  /** Runs a call when its turn has come. */
  admit: Admit;
  contextOf(call: FastPathCall): ServiceContext;
  /** Called with an error that a call threw. */
  onError(error: TRPCError, call: FastPathCall): void;
  /** Answers a request that looked plain and was not. */
  otherwise(req: IncomingMessage, res: ServerResponse, body: Buffer): void;
}

/**
 * The fast path for plain calls of procedures, one per request: it avoids creating the web's request
 * and response objects, which are most of the cost of such a call. Its answers equal those of the
 * tRPC handler; a call that is not plain is left to that.
 *
 * @returns whether the request is taken
 */
export function createFastPath(options: FastPathOptions) {
  const procedures = new Map(
    options.procedures.map((procedure) => {
      const method = procedure.kind === 'query' ? 'GET' : 'POST';
      return [`${method} ${options.prefix}${procedure.name}`, procedure];
    }),
  );
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    const url = req.url ?? '';
    const mark = url.indexOf('?');
    const found = procedures.get(`${req.method} ${mark < 0 ? url : url.slice(0, mark)}`);
    if (!found || !isPlainRequest(req)) return false;
    const answer = (text: string, body: Buffer) => {
      options.admit(req, found.name, body.length, (admission) => {
        const input = jsonOf(text);
        if (input) {
          void run(options, found, input.value, { req, res, admission });
        } else {
          admission.turn.end();
          options.otherwise(req, res, body);
        }
      });
    };
    if (found.kind === 'mutation') {
      if (mark >= 0) return false;
      collect(req, (body) => answer(isUtf8(body) ? body.toString() : '', body));
      return true;
    }
    const text = mark < 0 ? null : plainInput(url.slice(mark + 1));
    if (text === null) return false;
    answer(text, NO_BODY);
    return true;
  };
}

const NO_BODY = Buffer.alloc(0);

async function run(
  { contextOf, onError, proxies }: FastPathOptions,
  { name, kind, call: callProcedure }: CallableProcedure,
  input: unknown,
  { req, res, admission }: Pick<FastPathCall, 'req' | 'res' | 'admission'>,
): Promise<void> {
  const call: FastPathCall = {
    req,
    res,
    requestId: newRequestId(),
    path: name,
    type: kind,
    admission,
    isSecure: isSecure(req, proxies),
  };
  try {
    sendResult(call, await callProcedure(contextOf(call), () => input));
  } catch (cause) {
    const error = getTRPCErrorFromUnknown(cause);
    onError(error, call);
    sendError(call, error);
  } finally {
    admission.turn.end();
  }
}

/** The whole body; never, if the caller hangs up before its end. */
function collect(req: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}

/** Null for a text that is refused, for whatever reason. */
function jsonOf(text: string): { value: unknown } | null {
  try {
    refusePrototypeKeys(text);
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Answers a call with what its procedure returned. */
function sendResult(call: FastPathCall, data: unknown): void {
  write(call, 200, { result: { data } });
}

/** Answers a call with why it failed. */
function sendError(call: FastPathCall, error: TRPCError): void {
  const { requestId, path, type } = call;
  const refusal = refusalOf(error, type);
  const waitMs = retryAfterOf(refusal.reason, refusal.retryAfterMs);
  const more = waitMs === undefined ? [] : ['Retry-After', retryAfterSeconds(waitMs)];
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
  res.end(body);
}
