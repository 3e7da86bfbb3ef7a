import { expect, it } from 'vitest';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { isClear, isCounterClear } from './alert-clear';

const held = { status: 'held', waiters: 0 } as const;
const waited = { status: 'contended', waiters: 2 } as const;
const stuck = { status: 'stuck', waiters: 2 } as const;
const silent = { status: 'unknown', waiters: 0 } as const;

it('an alert whose lock is back to normal is shown as clear, not as ongoing', () => {
  expect(isClear('stuck', held)).toBe(true);
  expect(isClear('stuck', waited)).toBe(true);
  expect(isClear('expired', held)).toBe(true);
  expect(isClear('waitsOver', held)).toBe(true);
});

it('an alert whose state is unknown is never shown as clear', () => {
  expect(isClear('stuck', stuck)).toBe(false);
  expect(isClear('orphaned', stuck)).toBe(false);
  expect(isClear('waitsOver', waited)).toBe(false);
  expect(isClear('stuck', silent)).toBe(false);
  expect(isClear('stuck', null)).toBe(false);
  expect(isClear('counterNear', held)).toBe(false);
  expect(isClear('backendUnknown', held)).toBe(false);
});

it('an alert on a counter is clear once its value is known to be far from its bounds', () => {
  const rules = { ...DEFAULT_ALERT_RULES, counterWithin: 5 };
  const counter = { value: 6, floor: 0, ceiling: null, isKnown: true };
  expect(isCounterClear(counter, rules)).toBe(true);
  expect(isCounterClear({ ...counter, value: 5 }, rules)).toBe(false);
  expect(isCounterClear({ ...counter, isKnown: false }, rules)).toBe(false);
  expect(isCounterClear({ ...counter, value: null }, rules)).toBe(false);
  expect(isCounterClear(null, rules)).toBe(false);
});
