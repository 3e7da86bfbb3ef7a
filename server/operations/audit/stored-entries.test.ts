import { expect, test } from 'vitest';
import { requestOfIntent } from './act-identity';

/** An entry as every version stores it: the operator's request id is one of the facts in `seen`. */
const stored = (act: string, seen: string) => ({
  id: 1,
  at: 1_795_000_000_000,
  intent: 'A1b2C3d4E5f6G7h8I9j0K1',
  actor: 'ada',
  actorKind: 'user' as const,
  address: '192.0.2.1',
  act,
  namespace: 'default',
  subject: 'job',
  reason: 'it is stuck',
  seen,
  outcome: 'pending',
  result: '{}',
  closedAt: null,
});

/** Written down once: the keys under which stores keep the answers of acts. */
const KEYS = [
  ['lock.forceRelease', '{"token":5,"rev":9,"requestId":"click-1"}', '4Sw1jzLx9SV660qWBYYUcP'],
  ['lock.forceRelease', '{"rev":10,"token":5,"requestId":"click-1"}', '4Sw1jzLx9SV660qWBYYUcP'],
  ['lock.extend', '{"token":5,"rev":9,"extendMs":60000}', 'LqXSSFa0DMpWcsNQVcSB7v'],
  ['counter.adjust', '{"value":2,"newValue":1,"requestId":"click-2"}', 'Gxw5pl3fuaKkanW-Mrpkiw'],
] as const;

test.each(KEYS)(
  'the answer to an action of an earlier version is found: %s %s',
  (act, seen, key) => {
    expect(requestOfIntent(stored(act, seen))).toMatchObject({ key });
  },
);

test('an action repeated with its request id is the same action, unless it asks for more', () => {
  const inputHashes = ['{"token":5,"rev":9,"requestId":"r"}', '{"token":6,"requestId":"r"}'].map(
    (seen) => requestOfIntent(stored('lock.extend', seen))?.inputHash,
  );
  expect(new Set(inputHashes).size).toBe(2);
});

test('an action on the control database leaves no answer in a store', () => {
  expect(requestOfIntent(stored('key.create', '{"namespaces":["default"]}'))).toBeNull();
});
