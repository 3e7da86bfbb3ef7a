import { expect, test } from 'vitest';
import { type EndOfRace, evaluateRow } from './evaluate-row';

const end: EndOfRace = {
  kind: 'lock',
  sold: 500,
  stock: 500,
  left: 0,
  failure: null,
  ranOutOfTime: false,
  limitMs: 10_000,
  paused: null,
};

test('exactly the stock was sold: correct', () => {
  expect(evaluateRow(end)).toEqual({ oversold: 0, verdict: 'holds' });
});

test('more than the stock was sold: it oversells', () => {
  expect(evaluateRow({ ...end, sold: 713 })).toEqual({ oversold: 213, verdict: 'oversells' });
});

test('a quantity below zero is no more oversold than its order lines say', () => {
  expect(evaluateRow({ ...end, sold: 541, left: -41 }).oversold).toBe(41);
});

test('units sold and still in stock count as oversold, even before the stock is sold out', () => {
  expect(evaluateRow({ ...end, sold: 300, left: 320 })).toEqual({
    oversold: 120,
    verdict: 'oversells',
    reason: '300 were sold, and the stock row still says 320.',
  });
});

test('one that oversold before its time was over says so in one sentence', () => {
  const { reason } = evaluateRow({ ...end, sold: 300, left: 320, ranOutOfTime: true });
  expect(reason).toBe('It sold 300 of 500 within 10 s, and the stock row still says 320.');
});

test('one that ran out of time is correct, and says how far it came', () => {
  expect(evaluateRow({ ...end, sold: 300, left: 200, ranOutOfTime: true })).toEqual({
    oversold: 0,
    verdict: 'holds',
    reason: 'It sold 300 of 500 within 10 s.',
  });
});

test('one that failed is incomplete, but units oversold before count', () => {
  const failure = 'ECONNREFUSED: connect';
  expect(evaluateRow({ ...end, sold: 20, left: null, failure })).toEqual({
    oversold: 0,
    verdict: 'incomplete',
    reason: failure,
  });
  expect(evaluateRow({ ...end, sold: 501, failure }).verdict).toBe('oversells');
});

test('a wrong way that sold exactly the stock was lucky', () => {
  expect(evaluateRow({ ...end, kind: 'wrong way' }).reason).toMatch(/lucky/);
});

test('the paused worker is named with how its order ended', () => {
  const paused = 'its late write was refused by the fencing token';
  expect(evaluateRow({ ...end, paused }).reason).toBe(`The paused worker: ${paused}.`);
});
