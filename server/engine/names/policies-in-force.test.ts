import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { OWN_NAMESPACE } from '../membership';
import { policiesInForce } from './policies-in-force';

function backend() {
  const state = {
    policy: DEFAULT_POLICY,
    grantsFrom: 0,
    closed: null as string | null,
    full: null as string | null,
    room: null as number | null,
  };
  const policyOf = policiesInForce({ refusal: () => state.full, roomFor: () => state.room })(
    { policyOf: () => state.policy },
    () => state.grantsFrom,
    { closedBecause: () => state.closed },
  );
  return { state, policyOf };
}

test('a backend without restrictions uses the policy itself', () => {
  const { policyOf } = backend();
  expect(policyOf('default')).toBe(DEFAULT_POLICY);
});

test('each restriction applies as soon as it begins, changes or ends', () => {
  const { state, policyOf } = backend();
  state.grantsFrom = 5_000;
  expect(policyOf('default')).toEqual({
    ...DEFAULT_POLICY,
    grantsFrom: 5_000,
    closedBecause: null,
    fullBecause: null,
  });
  state.grantsFrom = 9_000;
  expect(policyOf('default')).toMatchObject({ grantsFrom: 9_000 });
  state.closed = 'It is closed.';
  expect(policyOf('default')).toMatchObject({ grantsFrom: 9_000, closedBecause: 'It is closed.' });
  state.full = 'It is full.';
  expect(policyOf('default')).toMatchObject({ fullBecause: 'It is full.' });
  state.room = 3;
  expect(policyOf('default')).toMatchObject({ roomForNames: 3 });
  state.room = 0;
  expect(policyOf('default')).toMatchObject({ roomForNames: 0 });
  state.room = null;
  expect(policyOf('default')).not.toHaveProperty('roomForNames');
  Object.assign(state, { closed: null, full: null });
  expect(policyOf('default')).toMatchObject({ closedBecause: null, fullBecause: null });
  state.policy = { ...DEFAULT_POLICY, queueLimit: 7 };
  expect(policyOf('default')).toMatchObject({ queueLimit: 7, grantsFrom: 9_000 });
  state.grantsFrom = 0;
  expect(policyOf('default')).toBe(state.policy);
});

test('the restrictions of a namespace give one policy object, however often requested', () => {
  const { state, policyOf } = backend();
  state.grantsFrom = 5_000;
  expect(policyOf('default')).toBe(policyOf('default'));
});

test('no restriction applies to the locks of Lockyard itself', () => {
  const { state, policyOf } = backend();
  Object.assign(state, { grantsFrom: 5_000, closed: 'It is closed.', full: 'It is full.' });
  expect(policyOf(OWN_NAMESPACE)).toBe(DEFAULT_POLICY);
});
