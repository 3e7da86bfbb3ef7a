import type { Bounds } from '../../contract/counter-bounds';
import type { AddCommand, CreateCommand } from '../counter/counter-command';
import type { CounterRecord } from '../counter/counter-record';
import { requestOf } from './lock-requests';

export const OPEN: Bounds = { floor: null, ceiling: null };

export function createCounter(initial = 0, bounds: Partial<Bounds> = {}): CreateCommand {
  const party = { service: 'orders' };
  return { verb: 'create', initial, ...OPEN, ...bounds, party, request: null };
}

/** An add of the service `orders`; without an id, no answer is stored for it. */
export function add(delta: number, requestId: string | null = null): AddCommand {
  const request = requestId === null ? null : requestOf(`orders ${requestId}`, String(delta));
  return { verb: 'add', delta, party: { service: 'orders' }, request };
}

export const OPERATOR = { by: 'ana', reason: 'stock was counted' };

/** A counter as a store may have it. */
export function counterAt(value: number, bounds: Partial<Bounds> = {}): CounterRecord {
  return { rev: 7, value, ...OPEN, ...bounds, createdAt: 1, lastMove: null, answersUntil: 0 };
}
