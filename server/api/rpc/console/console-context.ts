import type { UserActor } from '../../../auth/actor';
import type { Cookie } from '../../../auth/sessions/cookie';
import {
  createKnownBrowserToken,
  KNOWN_BROWSER_MAX_MS,
  knownBrowserCookieName,
  verifyKnownBrowserToken,
} from '../../../auth/sessions/known-browser';
import type { NewSession } from '../../../auth/sessions/session-manager';
import type { Runtime } from '../../../operations/operation-context';
import { SerialQueue } from '../../../platform/serial-queue';
import type { StreamSlots } from '../live-stream';

/** The cookies of the request, and those set in the answer. */
export interface BrowserCookies {
  readonly session: string | null;
  /** Sets the browser's session cookie; null removes it. */
  setSession(session: NewSession | null): void;
  read(name: string): string | null;
  set(cookie: Cookie): void;
}

/** One request to the console API, which may carry several calls. */
export interface ConsoleContext {
  runtime: Runtime;
  requestId: string;
  address: string;
  isSecure: boolean;
  /** The request's `User-Agent` header, if it had one. */
  userAgent: string | undefined;
  /**
   * The user of the session cookie with the current role, or null. To be resolved for each call.
   */
  resolveUser(): Promise<UserActor | null>;
  /** Runs functions one after another, so that each sees what earlier ones have done. */
  serialise<T>(run: () => Promise<T>): Promise<T>;
  /** Sets the browser's session cookie; null removes it. */
  setSession(session: NewSession | null): void;
  /** The id of the browser if it has signed in to this account before; else null. */
  knownBrowserOf(userId: string): string | null;
  /** Counts a sign-in that is refused because of earlier failures. */
  countRefusedSignIn(): void;
  /** Remembers in the browser that it has signed in to this account. */
  rememberBrowser(userId: string): void;
  streams: StreamSlots;
}

export function createConsoleContext(
  runtime: Runtime,
  request: {
    requestId: string;
    address: string;
    isSecure: boolean;
    userAgent: string | undefined;
    cookies: BrowserCookies;
    streams: StreamSlots;
  },
): ConsoleContext {
  const { cookies, ...rest } = request;
  const { clock, secret } = runtime;
  const queue = new SerialQueue();
  return {
    runtime,
    ...rest,
    resolveUser: () => runtime.sessions.resolve(cookies.session),
    serialise: (run) => queue.run(run),
    setSession: (session) => cookies.setSession(session),
    knownBrowserOf(userId) {
      const mark = cookies.read(knownBrowserCookieName(userId));
      return verifyKnownBrowserToken(mark, userId, secret, clock.now());
    },
    countRefusedSignIn: () => runtime.limits.count('signIns'),
    rememberBrowser(userId) {
      const value = createKnownBrowserToken(userId, secret, clock.now());
      const name = knownBrowserCookieName(userId);
      cookies.set({ name, value, maxAgeMs: KNOWN_BROWSER_MAX_MS });
    },
  };
}
