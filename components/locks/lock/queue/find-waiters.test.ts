import { expect, it } from 'vitest';
import type { WaiterRow } from '@/server/contract/console/lock-row';
import { findWaiters } from './find-waiters';

const QUEUE = [
  { ticket: 4, owner: 'Crowd-0001', service: 'orders' },
  { ticket: 7, owner: 'crowd-0002', service: 'billing' },
  { ticket: 9, owner: 'other', service: 'orders' },
] as WaiterRow[];

const places = (text: string) => findWaiters(QUEUE, text).map(({ place }) => place);

it('finds waiters by a part of their owner or service, and keeps their places', () => {
  expect(places('CROWD')).toEqual([0, 1]);
  expect(places('0002')).toEqual([1]);
  expect(places('orders')).toEqual([0, 2]);
  expect(places('nothing like it')).toEqual([]);
});

it('finds the whole queue by an empty text', () => {
  expect(places('')).toEqual([0, 1, 2]);
  expect(places('  ')).toEqual([0, 1, 2]);
});
