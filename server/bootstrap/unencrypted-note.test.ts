import { expect, test } from 'vitest';
import { readConfig } from './config/config';
import { unencryptedNote } from './unencrypted-note';

const note = (HOST: string, LOCKYARD_TRUSTED_PROXIES = '') =>
  unencryptedNote(readConfig({ HOST, LOCKYARD_TRUSTED_PROXIES }));

test('a server that others reach with no proxy says in one line that nothing is encrypted', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'locks.internal']) {
    expect(note(host)).toMatch(/^[^\n]*without TLS[^\n]*docs\/behind-a-proxy\.md\.$/);
    expect(note(host, '127.0.0.1')).not.toBeNull();
    expect(note(host, '127.0.0.1,10.0.0.0/8')).toBeNull();
  }
  for (const host of ['', '127.0.0.1', 'localhost', '::1', '127.0.0.9']) {
    expect(note(host)).toBeNull();
  }
});
