import type { ServerResponse } from 'node:http';
import { LockyardError } from '../../contract/errors';
import type { Runtime } from '../../operations/operation-context';
import { plainAnswer } from '../http/doors/page-door';
import type { RequestScope } from '../http/requests/request-scope';
import { pagePolicy } from '../http/requests/security-headers';
import { type KeptPage, KeptPages } from './kept-pages';
import { landingOf } from './landing';
import { PageGate } from './page-gate';
import { PAGE_ANSWERS, type PageAnswer, type PageFigures, pageMetrics } from './page-metrics';
import { PagePace } from './page-pace';
import type { PageRoutes } from './page-routes';
import type { PageKeeper } from './process/page-keeper';
import { PageProcessFailure, type PageRelay } from './process/page-relay';
import { type PageRefusal, refusePage } from './refuse-page';
import { isRouterState } from './router-state';
import type { StaticFiles } from './static-files';

/** So many pages are rendered at once, and so many wait for that. */
const RENDERING_MAX = 4;
const QUEUED_MAX = 100;
/** Of pages that were rendered and are not read; beyond that none is rendered. */
const UNREAD_MAX_BYTES = 32 * 1024 * 1024;
/** Of the time of the event loop that grants locks. */
const SHARE_OF_PAGES = 0.12;
const SHARE_OF_FILES = 0.08;
/** What a rendered page costs that loop: the console API is asked two or three times for it. */
const RENDERED_COST_MS = 5;

/** Tells Next which parts of a page its caller has already. */
const ROUTER_STATE = 'next-router-state-tree';
/** With either a browser only loads ahead what a person may want next. */
const PREFETCHES = ['next-router-prefetch', 'next-router-segment-prefetch'];
const SETUP_TOKEN = /^[\w-]{1,128}$/;
const HOST = /^[\w.:[\]-]{1,255}$/;

interface PageParts {
  runtime: Runtime;
  keeper: PageKeeper;
  relay: PageRelay;
  files: StaticFiles;
  routes: PageRoutes;
}

/** Decides how each request outside the APIs is answered: from memory, by being led elsewhere, rendered, or refused. */
export class PageAnswers {
  private readonly kept: KeptPages;
  private readonly gate = new PageGate(RENDERING_MAX, QUEUED_MAX);
  private readonly pages: PagePace;
  private readonly files: PagePace;
  private readonly answers = Object.fromEntries(
    PAGE_ANSWERS.map((answer) => [answer, 0]),
  ) as Record<PageAnswer, number>;

  constructor(private readonly parts: PageParts) {
    const { clock, metrics } = parts.runtime;
    metrics.add(() => pageMetrics(this.figures()));
    this.kept = new KeptPages(parts.relay);
    this.pages = new PagePace(clock, SHARE_OF_PAGES);
    this.files = new PagePace(clock, SHARE_OF_FILES);
  }

  /** Renders what is kept in memory. */
  prepare(): Promise<void> {
    return this.kept.prepare();
  }

  /** Answers a request for a page or a file, whose policy names `nonce`. */
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
    if (!routes.has(pathname)) return this.answerKept(scope, nonce, 'notFound');
    if (pathname.length > 1 && pathname.endsWith('/')) {
      return lead(res, 308, `${pathname.slice(0, -1)}${query === '' ? '' : `?${query}`}`);
    }
    if (!isRouterState(req.headers[ROUTER_STATE])) {
      return plainAnswer(res, 400, `The header ${ROUTER_STATE} is broken.`);
    }
    const landing = await landingOf(runtime, scope);
    if (landing !== null) {
      this.answers.led += 1;
      return lead(res, 307, landing);
    }
    const kept = keptPageOf(scope);
    if (kept) await this.answerKept(scope, nonce, kept);
    else await this.render(scope, nonce, gone);
  }

  private async answerKept(scope: RequestScope, nonce: string, page: KeptPage): Promise<void> {
    const { req, res } = scope;
    if (PREFETCHES.some((name) => req.headers[name] !== undefined)) {
      // Not to be had: what it is for is read as fast when it is wanted.
      res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
      return;
    }
    const fills = { nonce, origin: originOf(scope), token: setupTokenOf(scope) ?? '' };
    const bytes = await this.kept.answer(res, page, req.headers.rsc === '1', fills);
    this.answers.memory += 1;
    this.pages.spend({ bytes });
  }

  private async render(scope: RequestScope, nonce: string, gone: AbortSignal): Promise<void> {
    const { res } = scope;
    const { keeper, relay } = this.parts;
    if (!keeper.isUp) return this.refuse(res, 'down');
    if (relay.unreadBytes > UNREAD_MAX_BYTES) return this.refuse(res, 'full');
    const leave = await this.gate.enter(gone);
    if (leave === null) {
      if (!gone.aborted) this.refuse(res, 'full');
      return;
    }
    try {
      const bytes = await relay.relay(scope, pagePolicy(nonce), gone);
      this.pages.spend({ bytes: bytes ?? 0, ms: RENDERED_COST_MS });
      // What Next answers for it is blank until its scripts have run.
      if (bytes === null) await this.answerKept(scope, nonce, 'notFound');
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
    const paced = this.pages.waiting + this.files.waiting;
    return { answers: this.answers, rendering, queued, paced, isUp, restarts, residentBytes };
  }
}

function keptPageOf({
  pathname,
  query,
}: Pick<RequestScope, 'pathname' | 'query'>): KeptPage | null {
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

/** Null for none, and for one that no link of ours has. */
function setupTokenOf({ query }: Pick<RequestScope, 'query'>): string | null {
  const token = new URLSearchParams(query).get('token') ?? '';
  return SETUP_TOKEN.test(token) ? token : null;
}

/** By which the browser reached this server, as far as its request tells. */
function originOf({ req, isSecure }: RequestScope): string {
  const host = req.headers.host ?? '';
  return `${isSecure ? 'https' : 'http'}://${HOST.test(host) ? host : 'localhost'}`;
}

function lead(res: ServerResponse, status: 307 | 308, to: string): void {
  res.writeHead(status, { Location: to, 'Content-Length': 0, 'Cache-Control': 'no-store' }).end();
}

/** Its event was before this for a caller that hung up while it waited in line, and does not come again. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once('close', () => gone.abort());
  return gone.signal;
}
