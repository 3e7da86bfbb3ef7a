import { sessionCookie } from '../../../auth/sessions/cookie';
import type { Runtime } from '../../../operations/operation-context';
import { signInToDemo } from '../../../operations/sessions/sign-in-to-demo';
import { wrongMethod } from '../requests/refuse';
import type { RequestScope } from '../requests/request-scope';
import { setApiHeaders } from '../requests/security-headers';

/** The path of the demo's link, followed by `?token=…`. */
export const DEMO_PATH = '/demo';

/** Signs in a browser on this machine that opens the demo's link, and redirects it. */
export function createDemoHandler(runtime: Runtime) {
  return async ({ req, res, requestId, address, query, isSecure }: RequestScope): Promise<void> => {
    if (req.method !== 'GET') throw wrongMethod('GET');
    const token = new URLSearchParams(query).get('token') ?? '';
    const userAgent = req.headers['user-agent'];
    const ctx = { runtime, actor: null, address, requestId, userAgent };
    const { session } = await signInToDemo(ctx, { token });
    setApiHeaders(res);
    res.setHeader('Set-Cookie', sessionCookie(session, isSecure));
    res.writeHead(303, { Location: '/' }).end();
  };
}
