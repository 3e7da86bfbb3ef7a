import type { ServerResponse } from 'node:http';
import { isSetupToken } from '../../auth/setup-link';
import { LockyardError } from '../../contract/errors';
import { shortenedPath } from '../../core/paths/shortened-path';
import { askDatabase } from '../../operations/ask-database';
import type { Runtime } from '../../operations/operation-context';
import { plainAnswer } from '../http/handlers/page-handler';
import type { RequestScope } from '../http/requests/request-scope';
import { pagePolicy } from '../http/requests/security-headers';
import { type CachedPage, CachedPages } from './cached-pages';
import { landingOf } from './landing-of';
import { PageGate } from './page-gate';
import { PAGE_ANSWERS, type PageAnswer, type PageFigures, pageMetrics } from './page-metrics';
import type { PageRoutes } from './page-routes';
import { PageThrottle } from './page-throttle';
import { PageProcessFailure, type PageRelay } from './process/page-relay';
import type { PageSupervisor } from './process/page-supervisor';
import { isRouterState } from './router-state';
import type { StaticFiles } from './static-files';

/** How many pages are rendered concurrently, and how many requests may wait for that. */
const RENDERING_MAX = 4;
const QUEUED_MAX = 100;
/** The limit for rendered pages that callers have not read. Above it nothing is rendered. */
const UNREAD_MAX_BYTES = 32 * 1024 * 1024;
/** Shares of the time of the event loop, which also grants locks. */
const SHARE_OF_PAGES = 0.12;
const SHARE_OF_FILES = 0.08;
/** The event-loop time of a rendered page, which queries the console API two or three times. */
const RENDERED_COST_MS = 5;

/** The header in which Next's client names the parts of a page that it already has. */
const ROUTER_STATE = 'next-router-state-tree';
/** The headers of a prefetch: the browser loads a page that may be needed next. */
const PREFETCHES = ['next-router-prefetch', 'next-router-segment-prefetch'];
const SETUP_TOKEN = /^[\w-]{1,128}$/;
const HOST = /^[\w.:[\]-]{1,255}$/;

interface PageParts {
  runtime: Runtime;
  supervisor: PageSupervisor;
  relay: PageRelay;
  files: StaticFiles;
  routes: PageRoutes;
}

/**
 * Decides how a request outside the APIs is answered: from memory, redirected, rendered or refused.
 */
export class PageAnswers {
  private readonly cached: CachedPages;
  private readonly gate = new PageGate(RENDERING_MAX, QUEUED_MAX);
  private readonly pages: PageThrottle;
  private readonly files: PageThrottle;
  private readonly answers = Object.fromEntries(
    PAGE_ANSWERS.map((answer) => [answer, 0]),
  ) as Record<PageAnswer, number>;

  constructor(private readonly parts: PageParts) {
    const { clock, metrics } = parts.runtime;
    metrics.add(() => pageMetrics(this.figures()));
    this.cached = new CachedPages(parts.relay);
    this.pages = new PageThrottle(clock, SHARE_OF_PAGES);
    this.files = new PageThrottle(clock, SHARE_OF_FILES);
  }

  /** Renders the pages that are kept in memory, if the page process responds. */
  async prepare(): Promise<void> {
    try {
      await this.cached.prepare();
      this.parts.supervisor.noteRendered();
    } catch (err) {
      if (!(err instanceof PageProcessFailure)) throw err;
      // Locks are served even without pages.
      const { log } = this.parts.runtime;
      log.warn(
        { err },
        'A page could not be rendered at the start; it is rendered when it is requested',
      );
    }
  }

  /** Answers a request for a page or a file. The answer's security policy names `nonce`. */
  async answer(scope: RequestScope, nonce: string): Promise<void> {
    const { res, pathname } = scope;
    const { files } = this.parts;
    const gone = goneSignal(res);
    if (files.isFile(pathname)) {
      if (await this.files.turn(gone)) this.files.spend({ bytes: files.answer(res, pathname) });
      return;
    }
    if (!(await this.pages.turn(gone))) return;
    try {
      await this.answerPage(scope, nonce, gone);
    } catch (error) {
      if (res.headersSent) throw error;
      if (error instanceof PageProcessFailure) this.refuse(res, 'down');
      else if (error instanceof LockyardError) this.refuse(res, 'away');
      else throw error;
    }
  }

  private async answerPage(scope: RequestScope, nonce: string, gone: AbortSignal): Promise<void> {
    const { req, res, pathname, query } = scope;
    const { runtime, routes } = this.parts;
    if (!routes.has(pathname)) {
      const list = shortenedPath(pathname, query);
      if (list !== null) return redirect(res, 307, list);
      return this.answerCached(scope, nonce, 'notFound');
    }
    if (pathname.length > 1 && pathname.endsWith('/')) {
      return redirect(res, 308, `${pathname.slice(0, -1)}${query === '' ? '' : `?${query}`}`);
    }
    if (!isRouterState(req.headers[ROUTER_STATE])) {
      return plainAnswer(res, 400, `The header ${ROUTER_STATE} is broken.`);
    }
    const landing = await landingOf(runtime, scope);
    if (landing !== null) {
      this.answers.led += 1;
      return redirect(res, 307, landing);
    }
    const kept = await cachedPageOf(runtime, scope);
    if (kept) await this.answerCached(scope, nonce, kept);
    else await this.render(scope, nonce, gone);
  }

  private async answerCached(scope: RequestScope, nonce: string, page: CachedPage): Promise<void> {
    const { req, res } = scope;
    if (PREFETCHES.some((name) => req.headers[name] !== undefined)) {
      // Nothing to prefetch: the page itself is answered from memory just as fast.
      res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
      return;
    }
    const fills = { nonce, origin: originOf(scope), token: setupTokenOf(scope) ?? '' };
    const bytes = await this.cached.answer(res, page, req.headers.rsc === '1', fills);
    this.answers.memory += 1;
    this.pages.spend({ bytes });
  }

  private async render(scope: RequestScope, nonce: string, gone: AbortSignal): Promise<void> {
    const { res, pathname } = scope;
    const { supervisor, relay, routes } = this.parts;
    if (!supervisor.isUp) return this.refuse(res, 'down');
    if (relay.unreadBytes > UNREAD_MAX_BYTES) return this.refuse(res, 'full');
    const leave = await this.gate.enter(gone);
    if (leave === null) {
      if (!gone.aborted) this.refuse(res, 'full');
      return;
    }
    try {
      const bytes = await relay.relay(scope, pagePolicy(nonce), gone, routes.isDynamic(pathname));
      if (bytes !== 0) supervisor.noteRendered();
      this.pages.spend({ bytes: bytes ?? 0, ms: RENDERED_COST_MS });
      // Next's own answer would be blank until its scripts have run.
      if (bytes === null) await this.answerCached(scope, nonce, 'notFound');
      else this.answers.rendered += 1;
    } finally {
      leave();
    }
  }

  private refuse(res: ServerResponse, why: PageRefusal): void {
    this.answers[why] += 1;
    refusePage(res, why);
  }

  private figures(): PageFigures {
    const { isUp, restarts, residentBytes } = this.parts.supervisor;
    const { rendering, queued } = this.gate;
    const throttled = this.pages.waiting + this.files.waiting;
    return {
      answers: this.answers,
      rendering,
      queued,
      throttled,
      isUp,
      restarts,
      residentBytes,
    };
  }
}

async function cachedPageOf(
  runtime: Runtime,
  { pathname, query }: Pick<RequestScope, 'pathname' | 'query'>,
): Promise<CachedPage | null> {
  switch (pathname) {
    case '/docs':
      return 'docs';
    case '/sign-in':
      return 'signIn';
    case '/setup':
      return setupPageOf(runtime, query);
    default:
      return null;
  }
}

/** Only a valid link leads to the form, so that a form that is filled in is not refused. */
async function setupPageOf({ database, clock }: Runtime, query: string): Promise<CachedPage> {
  if (!new URLSearchParams(query).has('token')) return 'setup';
  const token = setupTokenOf({ query });
  if (token === null) return 'badSetupLink';
  const works = await askDatabase(() => isSetupToken(database, token, clock.now()));
  return works ? 'setupByLink' : 'badSetupLink';
}

/** Null if there is no token, or it cannot be one of ours. */
function setupTokenOf({ query }: Pick<RequestScope, 'query'>): string | null {
  const token = new URLSearchParams(query).get('token') ?? '';
  return SETUP_TOKEN.test(token) ? token : null;
}

/** The origin at which the browser reached this server, as far as the request shows. */
function originOf({ req, isSecure }: RequestScope): string {
  const host = req.headers.host ?? '';
  return `${isSecure ? 'https' : 'http'}://${HOST.test(host) ? host : 'localhost'}`;
}

function redirect(res: ServerResponse, status: 307 | 308, to: string): void {
  res.writeHead(status, { Location: to, 'Content-Length': 0, 'Cache-Control': 'no-store' }).end();
}

/** Aborts on hang-up. A caller may have hung up in the queue: then `close` does not fire again. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once('close', () => gone.abort());
  return gone.signal;
}

type PageRefusal = 'full' | 'down' | 'away';

const RETRY_AFTER_SECONDS = { full: 3, down: 5, away: 5 };
const WHY = {
  full: 'The server is busy with other pages.',
  down: 'The process that renders pages is starting or not responding.',
  away: 'The control database is not responding, so sessions cannot be checked.',
};

/** Answers 503 with a self-contained page that explains the problem and reloads itself. */
function refusePage(res: ServerResponse, why: PageRefusal): void {
  const body = Buffer.from(pageOf(why));
  res.writeHead(503, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': String(RETRY_AFTER_SECONDS[why]),
  });
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

const pageOf = (why: PageRefusal) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS[why]}">
<title>Busy · Lockyard</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center;
  font: 16px/1.5 system-ui, sans-serif;
  background: light-dark(#fefefd, #12181a); color: light-dark(#1c2427, #e6ebec); }
main { max-width: 30rem; padding: 2rem 1.5rem; }
h1 { margin: 0 0 .5rem; font-size: 1.45rem; line-height: 1.3; text-wrap: balance; }
p { margin: 0 0 .75rem; }
</style>
</head>
<body>
<main>
<h1>This page is temporarily unavailable</h1>
<p>${WHY[why]} Retrying every ${RETRY_AFTER_SECONDS[why]} seconds.</p>
<p>Lock requests are still served wherever their backend responds.</p>
</main>
</body>
</html>
`;
