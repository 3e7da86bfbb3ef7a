import { causes } from './database-failure';

const MISNAMED = 'its certificate is for another host name';
const EXPIRED = 'its certificate has expired';
const UNTRUSTED =
  'its certificate is signed by an authority that is not trusted here; LOCKYARD_TLS_CA_<ID> ' +
  'can name one that is';
const PLAIN = 'it does not speak TLS on this port';

const MEANINGS: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: MISNAMED,
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  HANDSHAKE_NO_SSL_SUPPORT: PLAIN,
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PLAIN,
};

/** The same for drivers that replace Node's error code with their own. */
const MESSAGE_PATTERNS: [RegExp, string][] = [
  [/does not match certificate's altnames/, MISNAMED],
  [/certificate has expired/, EXPIRED],
  [/self.signed certificate|unable to (verify|get)|certificate signature/, UNTRUSTED],
  [/before secure TLS connection was established/, `${PLAIN}, or refuses what this program offers`],
];

/** What went wrong with TLS, as the end of a sentence about the server; null for other errors. */
export function tlsFailure(error: unknown): string | null {
  for (const cause of causes(error)) {
    const { code = '', message = '' } = cause as { code?: string; message?: string };
    const meaning =
      MEANINGS[code] ?? MESSAGE_PATTERNS.find(([pattern]) => pattern.test(message))?.[1];
    if (meaning) return meaning;
  }
  return null;
}
