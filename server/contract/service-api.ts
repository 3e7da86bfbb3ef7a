import type { z } from 'zod';
import { addAnswer, createAnswer, getAnswer } from './counter/answer-schemas';
import { counterAddInput, counterCreateInput, counterGetInput } from './counter/inputs';
import type { Reason } from './errors';
import {
  acquireAnswer,
  cancelAnswer,
  checkAnswer,
  inspectAnswer,
  listAnswer,
  releaseAnswer,
  renewAnswer,
} from './lock/answer-schemas';
import {
  acquireInput,
  cancelInput,
  checkInput,
  inspectInput,
  listInput,
  releaseInput,
  renewInput,
} from './lock/inputs';
import { acquireManyAnswer } from './multi-lock/answer-schemas';
import { acquireManyInput, cancelManyInput } from './multi-lock/inputs';

/** One procedure of the service API, as described to its callers. */
export interface ServiceProcedureTerms {
  /** A mutation is a POST with the input as its body, a query a GET with `?input=<JSON>`. */
  kind: 'mutation' | 'query';
  title: string;
  /** One paragraph: what it does, guarantees and does not guarantee. */
  says: string;
  input: z.ZodType;
  answer: z.ZodType;
  /** A working input. */
  example: Record<string, unknown>;
  /** Reasons beyond those that every procedure may answer. */
  alsoFails: Reason[];
}

/** Every procedure that programs may call. A test checks it against the router and the wire. */
export const SERVICE_API: Record<string, ServiceProcedureTerms> = {
  'lock.acquire': {
    kind: 'mutation',
    title: 'Take a lock',
    says: 'Grants the lock, or queues for it, first in, first out, for as long as `waitMs` says. One request is held open for at most 25 s: a longer wait needs a `requestId` and is answered `queued` meanwhile. With a `requestId` a lost reply can be asked for again; nothing is granted twice.',
    input: acquireInput,
    answer: acquireAnswer,
    example: {
      name: 'invoices:2026-11',
      owner: 'billing-1',
      leaseMs: 30_000,
      requestId: '8f1c2a',
    },
    alsoFails: ['CONFLICT', 'NAMESPACE_FULL'],
  },
  'lock.cancel': {
    kind: 'mutation',
    title: 'Take an acquire back',
    says: 'Undoes the acquire with this `requestId`, whether it still waits or was granted meanwhile.',
    input: cancelInput,
    answer: cancelAnswer,
    example: { name: 'invoices:2026-11', owner: 'billing-1', requestId: '8f1c2a' },
    alsoFails: [],
  },
  'lock.acquireMany': {
    kind: 'mutation',
    title: 'Take several locks at once',
    says: 'Grants all of 2 to 20 locks of one namespace, or none: nobody sees `granted` before all are. While it waits it holds nothing: it stands in the queue of one lock that blocks it, and moves to another when that one blocks it by then. So it cannot deadlock, whatever others take in whatever order. It can be overtaken by those who want fewer locks, and where its locks are never free at the same time its patience runs out. Each grant is an ordinary hold, renewed and released by itself. It never re-enters: a lock that the same owner holds already blocks it.',
    input: acquireManyInput,
    answer: acquireManyAnswer,
    example: {
      locks: [{ name: 'accounts:7' }, { name: 'accounts:9' }],
      owner: 'transfers-1',
      leaseMs: 30_000,
      requestId: '61e0f3',
    },
    alsoFails: ['NAMESPACE_FULL'],
  },
  'lock.cancelMany': {
    kind: 'mutation',
    title: 'Take an acquire of several locks back',
    says: 'Undoes the `lock.acquireMany` with this `requestId` and these very locks, whether it still waits or was granted meanwhile. What was released of it already stays so.',
    input: cancelManyInput,
    answer: cancelAnswer,
    example: { names: ['accounts:7', 'accounts:9'], owner: 'transfers-1', requestId: '61e0f3' },
    alsoFails: [],
  },
  'lock.renew': {
    kind: 'mutation',
    title: 'Keep a lock',
    says: 'Begins the lease anew; never shortens it, never revives one that is over. Renew at a third of the lease. It acts on the hold that `owner` and `token` name, of the service that the key belongs to, and on no other.',
    input: renewInput,
    answer: renewAnswer,
    example: {
      name: 'invoices:2026-11',
      owner: 'billing-1',
      token: 145_000_000_000_001,
      leaseMs: 30_000,
    },
    alsoFails: [],
  },
  'lock.release': {
    kind: 'mutation',
    title: 'Let go of a lock',
    says: 'Ends the hold, or one entry of it where it was entered more than once. With a `requestId` it is safe to repeat: one id is one step.',
    input: releaseInput,
    answer: releaseAnswer,
    example: { name: 'invoices:2026-11', owner: 'billing-1', token: 145_000_000_000_001 },
    alsoFails: [],
  },
  'lock.inspect': {
    kind: 'query',
    title: 'Look at a lock',
    says: 'Who holds it and who waits. A lock that nobody has taken yet is `free`.',
    input: inspectInput,
    answer: inspectAnswer,
    example: { name: 'invoices:2026-11' },
    alsoFails: [],
  },
  'lock.list': {
    kind: 'query',
    title: 'See many locks',
    says: 'The locks of a namespace, page by page in the byte order of their names, from what the server last read: usually a fraction of a second old, and `ageMs` says how old. An overview and no ground to act on; `lock.inspect` reads the lock itself.',
    input: listInput,
    answer: listAnswer,
    example: { prefix: 'invoices:', busy: true, limit: 100 },
    alsoFails: [],
  },
  'lock.check': {
    kind: 'query',
    title: 'Check a token',
    says: 'For a resource that guards its writes and cannot remember tokens: whether the hold with this token is live. Comparing tokens in the same statement as the write is safer.',
    input: checkInput,
    answer: checkAnswer,
    example: { name: 'invoices:2026-11', token: 145_000_000_000_001 },
    alsoFails: [],
  },
  'counter.create': {
    kind: 'mutation',
    title: 'Make a counter',
    says: 'Makes a counter with a value to begin with, and bounds that it will never leave. Safe to repeat: one that is there already stays as it is.',
    input: counterCreateInput,
    answer: createAnswer,
    example: { name: 'tickets:2026-11', initial: 500, floor: 0, ceiling: 500 },
    alsoFails: ['NAMESPACE_FULL'],
  },
  'counter.add': {
    kind: 'mutation',
    title: 'Move a counter',
    says: 'Adds `delta`, whole or not at all. With a `requestId` a lost reply can be asked for again; nothing is applied twice.',
    input: counterAddInput,
    answer: addAnswer,
    example: { name: 'tickets:2026-11', delta: -1, requestId: '5d20b7' },
    alsoFails: [],
  },
  'counter.get': {
    kind: 'query',
    title: 'Read a counter',
    says: 'What it stands at, and its bounds. One that was never created is `NOT_FOUND`.',
    input: counterGetInput,
    answer: getAnswer,
    example: { name: 'tickets:2026-11' },
    alsoFails: [],
  },
};
