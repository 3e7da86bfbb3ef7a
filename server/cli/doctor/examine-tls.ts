import { once } from 'node:events';
import { checkServerIdentity, connect } from 'node:tls';
import { type Finding, lengthOf, problem, warning } from '@/server/operations/installation/finding';
import type { Clock } from '@/server/platform/clock';
import { DAY_MS } from '../../core/time-units';

const ANSWER_WITHIN_MS = 5_000;
const SOON_MS = 14 * DAY_MS;
const RENEW = 'Renew it, and have the proxy read it again.';

/**
 * Findings on the certificate at an address, and on HTTP/2 for browsers; none if the address does
 * not use TLS.
 *
 * @param url an origin
 */
export async function examineTls(
  { protocol, hostname, port }: URL,
  subject: string,
  clock: Clock,
): Promise<Finding[]> {
  if (protocol !== 'https:') return [];
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(port || 443),
    // Only to read the certificate, whatever is wrong with it; callers do verify it.
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const certificate = socket.getPeerCertificate();
    const endsAt = Date.parse(certificate.valid_to);
    const leftMs = endsAt - clock.now();
    const found: Finding[] = [];
    if (checkServerIdentity(host, certificate)) {
      const says = `its certificate is for another host name than ${host}`;
      found.push(problem(subject, says, 'Give the proxy a certificate of that name.'));
    }
    if (leftMs <= 0) {
      found.push(problem(subject, `its certificate expired ${lengthOf(-leftMs)} ago`, RENEW));
    } else if (leftMs < SOON_MS) {
      found.push(warning(subject, `its certificate expires in ${lengthOf(leftMs)}`, RENEW));
    }
    const code = String(socket.authorizationError ?? '');
    if (!socket.authorized && !REPORTED_SEPARATELY.has(code)) {
      const says = `its certificate is not trusted on this machine (${code})`;
      found.push(
        problem(subject, says, 'Name its authority in NODE_EXTRA_CA_CERTS, here and at callers.'),
      );
    }
    if (socket.alpnProtocol !== 'h2') {
      const says = 'offers no HTTP/2: live pages soon use up the six connections of a browser';
      found.push(warning(subject, says, 'Let the proxy offer it. See docs/behind-a-proxy.md.'));
    }
    return found;
  } catch {
    return [];
  } finally {
    socket.destroy();
  }
}

const REPORTED_SEPARATELY = new Set(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']);
