import { LockyardError } from '../../../contract/errors';
import type { ProcedureKinds } from '../../rpc/procedure-kinds';
import { crossSiteComplaint } from '../requests/cross-site';
import { hasManyParameters, PARAMETERS_MAX } from '../requests/many-parameters';
import { wrongMethod } from '../requests/refuse';
import type { RequestScope } from '../requests/request-scope';

/** The most calls that one request may carry. */
const BATCH_MAX_CALLS = 20;

/** These cost so much that one request must not contain several of them. */
const ALONE = new Set(['session.signIn', 'session.changePassword']);

/** What a request to an API asks for, according to its address and headers. */
export interface ApiCall {
  /** Decoded: one procedure, or several with commas between them. */
  path: string;
  isBatch: boolean;
  isStream: boolean;
}

/**
 * Refuses requests that must not reach any procedure, before their bodies are read. This includes
 * what tRPC refuses before it has a context, so that every answer names its reason and request.
 *
 * @throws LockyardError `FORBIDDEN` from another site, `NOT_FOUND` for an unknown procedure, else
 *   `INVALID`; with `allow` for a method that the procedure does not have
 */
export function examineCall(scope: RequestScope, prefix: string, kinds: ProcedureKinds): ApiCall {
  const { req, pathname, query } = scope;
  const complaint = crossSiteComplaint(req.headers);
  if (complaint !== null) throw new LockyardError('FORBIDDEN', complaint);
  if (req.headers.upgrade?.toLowerCase() === 'websocket') throw invalid('There is no WebSocket.');
  const path = decoded(pathname.slice(prefix.length), 'path');
  if (hasManyParameters(query)) {
    throw invalid(`An address may have at most ${PARAMETERS_MAX} parameters.`);
  }
  decoded(query.replaceAll('+', ' '), 'query');
  const params = new URLSearchParams(query);
  refuseRepeated(params);
  if (params.has('connectionParams')) throw invalid('connectionParams are not used here.');
  if (wantsStream(req.headers)) throw invalid('Answers are not streamed call by call.');
  const batch = params.get('batch');
  if (batch !== null && batch !== '1') throw invalid('batch: can only be 1.');
  const isBatch = batch !== null;
  const names = isBatch ? path.split(',') : [path];
  if (names.length > BATCH_MAX_CALLS) {
    throw invalid(`A batch may have at most ${BATCH_MAX_CALLS} calls.`);
  }
  if (names.length > 1 && names.some((name) => ALONE.has(name))) {
    throw invalid('A password must be checked by a request of its own.');
  }
  const [kind, ...others] = names.map((name) => kindOf(kinds, name));
  if (others.some((other) => other !== kind))
    throw invalid('A batch is either all queries or all mutations.');
  const method = kind === 'mutation' ? 'POST' : 'GET';
  if (req.method !== method) throw wrongMethod(method);
  if (method === 'POST' && !isJson(req.headers['content-type'])) {
    throw invalid('A body must be sent as Content-Type: application/json.');
  }
  if (isBatch && kind === 'subscription') throw invalid('Subscriptions cannot be batched.');
  return { path, isBatch, isStream: kind === 'subscription' };
}

function kindOf(kinds: ProcedureKinds, name: string): string {
  const kind = kinds.get(name);
  if (kind) return kind;
  const advice = name.startsWith('api/v1/') ? " Leave /api/v1 out of the client's URL." : '';
  throw new LockyardError('NOT_FOUND', `There is no such procedure.${advice}`);
}

/** One of two values would be ignored, and a proxy in front may have checked that one. */
function refuseRepeated(params: URLSearchParams): void {
  const seen = new Set<string>();
  for (const name of params.keys()) {
    if (seen.has(name)) throw invalid(`The address has the parameter ${quoted(name)} twice.`);
    seen.add(name);
  }
}

const NAME_SHOWN_MAX_CHARS = 20;

const quoted = (name: string) => JSON.stringify(name.slice(0, NAME_SHOWN_MAX_CHARS));

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new LockyardError('INVALID', `The ${part} has broken percent-encoding.`, { cause });
  }
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

function wantsStream(headers: RequestScope['req']['headers']): boolean {
  const wanted = `${headers['trpc-accept'] ?? ''},${headers.accept ?? ''}`;
  return wanted.split(',').some((type) => type.trim() === 'application/jsonl');
}

function invalid(message: string): LockyardError {
  return new LockyardError('INVALID', message);
}
