import type { ServerResponse } from 'node:http';
import type { Runtime } from '../../../operations/operation-context';
import { TimeLimit } from '../../../platform/time-limit';
import { wrongMethod } from '../requests/refuse';
import type { RequestScope } from '../requests/request-scope';
import { setApiHeaders } from '../requests/security-headers';

/** Minimum time between two queries of a database. */
const FRESH_MS = 1_000;
const ANSWER_MAX_MS = 2_000;

/** `OPTIONS` too: HAProxy's `httpchk` sends it unless it is given another method. */
const METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Answers whether this process is alive, and whether it can serve, by path.
 *
 * @param isDraining while it is, the process is not ready
 * @returns handlers that throw `INVALID` for another method than `GET`, `HEAD` and `OPTIONS`
 */
export function createHealthHandlers(
  runtime: Runtime,
  isDraining: () => boolean,
): Record<string, (scope: RequestScope) => Promise<void>> {
  const isReady = createReadiness(runtime);
  return {
    '/api/health/live': async (scope) => {
      requireKnownMethod(scope);
      answerHealth(scope.res, true);
    },
    '/api/health/ready': async (scope) => {
      requireKnownMethod(scope);
      answerHealth(scope.res, !isDraining() && (await isReady()));
    },
  };
}

function requireKnownMethod({ req }: RequestScope): void {
  if (!METHODS.includes(req.method ?? '')) throw wrongMethod(METHODS.join(', '));
}

/**
 * Whether this process can serve: the control database answers, and the last heartbeat, one every
 * half second, was written to it. A database with a full disk answers but takes no writes.
 * Anonymous callers learn only yes or no.
 */
function createReadiness(runtime: Runtime): () => Promise<boolean> {
  const { database, clock, engines } = runtime;
  const takesWrites = () => engines.get('default')?.health().reachable === true;
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<boolean> = Promise.resolve(false);
  return () => {
    if (clock.monotonic() - askedAt >= FRESH_MS) {
      askedAt = clock.monotonic();
      answer = TimeLimit.within(ANSWER_MAX_MS, late, answers(database)).catch(() => false);
    }
    return answer.then((isAnswering) => isAnswering && takesWrites());
  };
}

async function answers({ db, tables }: Runtime['database']): Promise<boolean> {
  await db.select({ id: tables.settings.id }).from(tables.settings).limit(1);
  return true;
}

const late = () => new Error('The control database did not answer in time.');

function answerHealth(res: ServerResponse, isHealthy: boolean): void {
  setApiHeaders(res);
  res.statusCode = isHealthy ? 200 : 503;
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify({ ok: isHealthy }));
}
