import { expect, test } from 'vitest';
import { readConfig } from './config';

const KEY = Buffer.alloc(32, 'k').toString('base64');
const read = (env: Record<string, string>) => readConfig(env);

test('a webhook has an address, a format and a key', () => {
  const { receivers, publicUrl } = read({
    LOCKYARD_PUBLIC_URL: 'https://locks.internal/',
    LOCKYARD_WEBHOOK_OPS: 'https://me:p%40ss@hooks.internal/a?b=c',
    LOCKYARD_SIGNING_KEY_OPS: `whsec_${KEY}`,
    LOCKYARD_WEBHOOK_CHAT: 'slack+https://hooks.slack.com/services/T/B/X',
    LOCKYARD_WEBHOOK_AM: 'alertmanager+http://am.internal:9093/prefix/',
  });
  expect(publicUrl).toBe('https://locks.internal');
  const plain = { authorization: null, key: null };
  expect(receivers).toEqual([
    {
      id: 'am',
      format: 'alertmanager',
      url: 'http://am.internal:9093/prefix/api/v2/alerts',
      ...plain,
    },
    { id: 'chat', format: 'slack', url: 'https://hooks.slack.com/services/T/B/X', ...plain },
    {
      id: 'ops',
      format: 'webhook',
      url: 'https://hooks.internal/a?b=c',
      authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
      key: Buffer.alloc(32, 'k'),
    },
  ]);
});

const HOOK = { LOCKYARD_WEBHOOK_OPS: 'https://hooks.internal/a' };
test.each<[Record<string, string>, RegExp]>([
  [HOOK, /LOCKYARD_SIGNING_KEY_OPS must be 24 to 64 random bytes/],
  [{ ...HOOK, LOCKYARD_SIGNING_KEY_OPS: 'c2hvcnQ=' }, /24 to 64 random bytes/],
  [{ ...HOOK, LOCKYARD_SIGNING_KEY_OPS: `${KEY}!` }, /24 to 64 random bytes/],
  [{ LOCKYARD_SIGNING_KEY_OPS: KEY }, /LOCKYARD_WEBHOOK_OPS is not set/],
  [{ LOCKYARD_WEBHOOK_OPS: 'ftp://a' }, /must be a URL that begins with https: or http:/],
  [{ LOCKYARD_WEBHOOK_OPS: 'teams+https://a' }, /must be a URL/],
  [{ LOCKYARD_WEBHOOK_OPS: 'slack+https://a%zz@b' }, /percent-encoded/],
  [{ LOCKYARD_WEBHOOK_CHAT: 'slack+https://a', LOCKYARD_SIGNING_KEY_CHAT: KEY }, /not signed/],
  [{ LOCKYARD_WEBHOOK_CHAT: 'slack+http://a:6667' }, /port 6667 cannot be used/],
  [{ LOCKYARD_WEBHOOK_CHAT: 'slack+https://a', LOCKYARD_WEBHOOK_chat: 'slack+https://b' }, /twice/],
  [{ ...HOOK, LOCKYARD_SIGNING_KEY_OPS: KEY, LOCKYARD_SIGNING_KEY_ops: KEY }, /_ops: .* twice/],
  [{ 'LOCKYARD_WEBHOOK_A-B': 'slack+https://a' }, /id must be/],
  [{ LOCKYARD_WEBHOOK: 'https://a' }, /Did you mean LOCKYARD_WEBHOOK_<ID>/],
  [{ LOCKYARD_PUBLIC_URL: 'https://a/path' }, /LOCKYARD_PUBLIC_URL must be/],
  [{ LOCKYARD_PUBLIC_URL: 'locks' }, /LOCKYARD_PUBLIC_URL must be/],
])('a mistake in %j is named', (env, message) => {
  expect(() => read(env)).toThrow(message);
});
