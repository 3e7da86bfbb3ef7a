import type { ServerResponse } from 'node:http';
import { LockyardError } from '../../contract/errors';
import type { Runtime } from '../../operations/operation-context';
import { plainAnswer } from '../http/handlers/page-handler';
import type { RequestScope } from '../http/requests/request-scope';
import { pagePolicy } from '../http/requests/security-headers';
import { type CachedPage, CachedPages } from './cached-pages';
import { landingOf } from './landing';
import { PageGate } from './page-gate';
import { PAGE_ANSWERS, type PageAnswer, type PageFigures, pageMetrics } from './page-metrics';
import type { PageRoutes } from './page-routes';
import { PageThrottle } from './page-throttle';
import { PageProcessFailure, type PageRelay } from './process/page-relay';
import type { PageSupervisor } from './process/page-supervisor';
import { type PageRefusal, refusePage } from './refuse-page';
import { isRouterState } from './router-state';
import type { StaticFiles } from './static-files';

/** How many pages are rendered at once, and how many requests may wait for that. */
const RENDERING_MAX = 4;
const QUEUED_MAX = 100;
/** The limit for rendered pages that callers have not read. Above it nothing is rendered. */
const UNREAD_MAX_BYTES = 32 * 1024 * 1024;
/** Shares of the time of the event loop that grants locks. */
const SHARE_OF_PAGES = 0.12;
const SHARE_OF_FILES = 0.08;
/** What a rendered page costs that loop: it queries the console API two or three times. */
const RENDERED_COST_MS = 5;

/** Tells Next which parts of a page its caller has already. */
const ROUTER_STATE = 'next-router-state-tree';
/** The headers of a prefetch: the browser loads what a person may want next. */
const PREFETCHES = ['next-router-prefetch', 'next-router-segment-prefetch'];
const SETUP_TOKEN = /^[\w-]{1,128}$/;
const HOST = /^[\w.:[\]-]{1,255}$/;

interface PageParts {
  runtime: Runtime;
  keeper: PageSupervisor;
  relay: PageRelay;
  files: StaticFiles;
  routes: PageRoutes;
}

/**
 * Decides how each request outside the APIs is answered: from memory, redirected, rendered, or
 * refused.
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

  /** Renders the pages that are kept in memory. */
  prepare(): Promise<void> {
    return this.cached.prepare();
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
    if (!routes.has(pathname)) return this.answerCached(scope, nonce, 'notFound');
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
    const kept = cachedPageOf(scope);
    if (kept) await this.answerCached(scope, nonce, kept);
    else await this.render(scope, nonce, gone);
  }

  private async answerCached(scope: RequestScope, nonce: string, page: CachedPage): Promise<void> {
    const { req, res } = scope;
    if (PREFETCHES.some((name) => req.headers[name] !== undefined)) {
      // Nothing to prefetch: when the page is wanted, it comes from memory just as fast.
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
    const { keeper, relay, routes } = this.parts;
    if (!keeper.isUp) return this.refuse(res, 'down');
    if (relay.unreadBytes > UNREAD_MAX_BYTES) return this.refuse(res, 'full');
    const leave = await this.gate.enter(gone);
    if (leave === null) {
      if (!gone.aborted) this.refuse(res, 'full');
      return;
    }
    try {
      const bytes = await relay.relay(scope, pagePolicy(nonce), gone, routes.isDynamic(pathname));
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
    const { isUp, restarts, residentBytes } = this.parts.keeper;
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

function cachedPageOf({
  pathname,
  query,
}: Pick<RequestScope, 'pathname' | 'query'>): CachedPage | null {
  switch (pathname) {
    case '/docs':
      return 'docs';
    case '/sign-in':
      return 'signIn';
    case '/setup':
      return setupTokenOf({ query }) === null ? 'setup' : 'setupByLink';
    default:
      return null;
  }
}

/** Null for no token, and for text that cannot be a token of ours. */
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

/**
 * A caller may have hung up while it waited in the queue: then `close` has fired already and will
 * not fire again.
 */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once('close', () => gone.abort());
  return gone.signal;
}
