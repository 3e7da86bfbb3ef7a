import { expect, test } from 'vitest';
import { readConfig } from './config';

test.each([
  ['LOCKYARD_WITNESS_', 'LOCKYARD_WITNESS_<ID>'],
  ['LOCKYARD_WEBHOOK', 'LOCKYARD_WEBHOOK_<ID>'],
  ['LOCKYARD_WEBHOOKS_OPS', 'LOCKYARD_WEBHOOK_<ID>'],
  ['LOCKYARD_SIGNING_KEY', 'LOCKYARD_SIGNING_KEY_<ID>'],
  ['LOCKYARD_TLS_CA', 'LOCKYARD_TLS_CA_<ID>'],
])('%s is unknown, and %s is what was meant', (name, meant) => {
  expect(() => readConfig({ [name]: 'x' })).toThrow(`Did you mean ${meant}?`);
});

test.each([
  [{ PORT: '30\n00' }, 'PORT must be a whole number from 0 to 65535, not "30\\n00".'],
  [{ HOST: 'a\tb\r' }, 'HOST must be a host name or an address, not "a\\tb\\r".'],
  [{ LOCKYARD_LOG_LEVEL: 'info\n' }, 'not "info\\n".'],
])('a value with a line break is quoted in one line: %j', (env, message) => {
  expect(() => readConfig(env as Record<string, string>)).toThrow(message);
});
