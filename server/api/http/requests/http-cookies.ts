import {
  type Cookie,
  cookieHeader,
  readCookie,
  readSessionCookie,
  sessionCookie,
} from '../../../auth/sessions/cookie';
import type { NewSession } from '../../../auth/sessions/session-manager';
import type { BrowserCookies } from '../../rpc/console/console-context';
import type { RequestScope } from './request-scope';

/** The cookies of one request and of its answer. */
export class HttpCookies implements BrowserCookies {
  constructor(private readonly scope: Pick<RequestScope, 'req' | 'res' | 'isSecure'>) {}

  get session(): string | null {
    const { req, isSecure } = this.scope;
    return readSessionCookie(req.headers.cookie, isSecure);
  }

  read(name: string): string | null {
    const { req, isSecure } = this.scope;
    return readCookie(req.headers.cookie, name, isSecure);
  }

  setSession(session: NewSession | null): void {
    const { res, isSecure } = this.scope;
    res.appendHeader('Set-Cookie', sessionCookie(session, isSecure));
  }

  set(cookie: Cookie): void {
    const { res, isSecure } = this.scope;
    res.appendHeader('Set-Cookie', cookieHeader(cookie, isSecure));
  }
}
