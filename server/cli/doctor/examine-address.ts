import { canBeKey } from '@/client/client-settings';
import {
  type Finding,
  lengthOf,
  ok,
  problem,
  warning,
} from '@/server/operations/installation/finding';
import type { Clock } from '@/server/platform/clock';
import { examineTls } from './examine-tls';

const ANSWER_WITHIN_MS = 5_000;
/** The first event of a stream arrives immediately, unless the server is very busy. */
const EVENT_WITHIN_MS = 5_000;
const PROXY = 'See docs/behind-a-proxy.md.';

/** OpenSSL's codes for an answer that is not TLS, such as plain HTTP. */
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/;

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Examines an address as a caller sees it: whether a server answers, how a proxy in front behaves,
 * and whether the key is accepted.
 *
 * @param url an origin
 * @param apiKey null: nothing that needs one is examined
 */
export async function examineAddress(
  url: string,
  apiKey: string | null,
  clock: Clock,
): Promise<Finding[]> {
  const subject = `address ${url}`;
  const tls = await examineTls(new URL(url), subject, clock);
  const live = await ask(url, '/api/health/live');
  if (typeof live === 'string') {
    if (tls.some(({ level }) => level === 'problem')) return tls;
    return [
      problem(subject, `no answer: ${live}`, 'Check the server, the name, and its certificate.'),
    ];
  }
  if (live.status !== 200) {
    const says = `/api/health/live answers ${live.status}`;
    return [
      ...tls,
      problem(subject, says, 'Another program may answer there, or a proxy without a server.'),
    ];
  }
  const key =
    apiKey === null ? [withoutKey(subject)] : await examineKey(url, subject, apiKey, clock);
  return [
    ...tls,
    ...(await readinessOf(url, subject)),
    encryptionOf(url, subject, live.headers),
    ...(await hostOf(url, subject)),
    ...key,
  ];
}

/** An answer, or the reason why there is none. */
async function ask(url: string, path: string, init: RequestInit = {}): Promise<Response | string> {
  try {
    return await fetch(new URL(path, url), {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...init,
    });
  } catch (error) {
    const { cause, message } = error as { cause?: NodeJS.ErrnoException; message: string };
    if (NO_TLS.test(cause?.code ?? '')) return 'no TLS is spoken there';
    return cause?.message || message;
  }
}

async function readinessOf(url: string, subject: string): Promise<Finding[]> {
  const ready = await ask(url, '/api/health/ready');
  if (typeof ready !== 'string' && ready.status === 200) return [ok(subject, 'live and ready')];
  const says = 'is not ready: its control database takes no writes, or it shuts down';
  return [problem(subject, says, 'See the log of the server.')];
}

/** This header is sent only if the server knows that the caller's connection is encrypted. */
function encryptionOf(url: string, subject: string, headers: Headers): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:') {
    if (LOOPBACK.test(hostname)) return ok(subject, 'not encrypted, on this machine alone');
    const says = 'is not encrypted: passwords and keys can be read on the way';
    return warning(subject, says, `Put a proxy with TLS in front. ${PROXY}`);
  }
  if (headers.has('strict-transport-security')) return ok(subject, 'TLS, and the server knows it');
  const says = 'the server does not know that callers use TLS';
  const advice = 'Let the proxy set X-Forwarded-Proto, and name it in LOCKYARD_TRUSTED_PROXIES.';
  return warning(subject, says, `${advice} ${PROXY}`);
}

/** A page's requests send its origin, which must match the `Host` header. */
async function hostOf(url: string, subject: string): Promise<Finding[]> {
  const headers = { origin: new URL(url).origin, 'content-type': 'application/json' };
  const answer = await ask(url, '/api/trpc/session.signOut', {
    method: 'POST',
    headers,
    body: '{}',
  });
  const text = typeof answer === 'string' ? '' : await answer.text().catch(() => '');
  if (!text.includes('Requests from other sites are refused')) return [];
  const says = 'the proxy changes the Host header: signing in to the console is refused';
  return [problem(subject, says, `Pass it on unchanged. ${PROXY}`)];
}

const withoutKey = (subject: string): Finding =>
  warning(
    subject,
    'keys and streams were not examined',
    'Set LOCKYARD_API_KEY: any key of a service will do, and nothing is locked.',
  );

async function examineKey(
  url: string,
  subject: string,
  apiKey: string,
  clock: Clock,
): Promise<Finding[]> {
  // `fetch` would quote the key in its error.
  if (!canBeKey(apiKey)) {
    const says = 'the API key of the environment has characters that no key has';
    return [problem(subject, says, 'Set LOCKYARD_API_KEY to the key alone, in one line.')];
  }
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await ask(url, '/api/v1/lock.list?limit=1', { headers });
  if (typeof answer === 'string') return [problem(subject, `no answer: ${answer}`, PROXY)];
  if (answer.status === 401) {
    const says = 'refuses the API key in LOCKYARD_API_KEY';
    return [problem(subject, says, 'Create another: npm run -s lockyard -- keys create --help')];
  }
  return examineStream(url, subject, headers, clock);
}

/** The message of a refusal by the service API. */
async function messageOf(refusal: Response): Promise<string> {
  const body: { error?: { message?: string } } | null = await refusal.json().catch(() => null);
  return body?.error?.message ?? `answered ${refusal.status}`;
}

/** Whether an event arrives while the stream is still open. */
async function examineStream(
  url: string,
  subject: string,
  headers: Record<string, string>,
  clock: Clock,
): Promise<Finding[]> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), EVENT_WITHIN_MS);
  const begunAt = clock.monotonic();
  try {
    const answer = await ask(url, '/api/v1/lock.watch', {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ names: ['lockyard-doctor'] }),
      signal: ending.signal,
    });
    if (typeof answer !== 'string' && !answer.ok) {
      const says = `no stream was examined: ${await messageOf(answer)}`;
      if (answer.status !== 403) return [warning(subject, says, `Try again. ${PROXY}`)];
      return [ok(subject, `accepts the API key, but ${says}`)];
    }
    if (typeof answer !== 'string') {
      const read = await answer.body?.getReader().read();
      if (read && !read.done) {
        const after = lengthOf(clock.monotonic() - begunAt);
        return [ok(subject, `accepts the API key, and streams arrive unbuffered (${after})`)];
      }
    }
  } catch {
    // No event arrived in time.
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
  const says = `no event of a stream arrived within ${lengthOf(EVENT_WITHIN_MS)}: a proxy buffers`;
  return [
    problem(
      subject,
      says,
      `Switch off buffering of answers (nginx: proxy_buffering off). ${PROXY}`,
    ),
  ];
}
