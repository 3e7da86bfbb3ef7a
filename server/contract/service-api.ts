import type { z } from 'zod';
import {
  COUNTER_ANSWERS,
  counterAddAnswer,
  counterAddInput,
  counterCreateAnswer,
  counterCreateInput,
  counterGetAnswer,
  counterGetInput,
} from './counter';
import type { Reason } from './errors';
import type { KeyVerb } from './key-verbs';
import {
  acquireAnswer,
  cancelAnswer,
  checkAnswer,
  inspectAnswer,
  listAnswer,
  releaseAnswer,
  renewAnswer,
} from './lock/answers';
import {
  acquireInput,
  cancelInput,
  checkInput,
  inspectInput,
  listInput,
  releaseInput,
  renewInput,
} from './lock/inputs';
import { LOCK_ANSWERS } from './lock/named-answers';
import { watchAnswer, watchInput } from './lock/watch';
import {
  acquireManyAnswer,
  acquireManyInput,
  cancelManyInput,
  MULTI_LOCK_ANSWERS,
} from './multi-lock';
import { witnessReportAnswer, witnessReportInput } from './witness';

/** One procedure of the service API, as described to its callers. */
export interface ServiceProcedure {
  /** A mutation is a POST with the input as its body, a query a GET with `?input=<JSON>`. */
  kind: 'mutation' | 'query';
  /** The verb that a key with limits needs for it; null: the key of a service cannot call it. */
  verb: KeyVerb | null;
  title: string;
  /** One paragraph: what it does, guarantees and does not guarantee. */
  says: string;
  input: z.ZodType;
  answer: z.ZodType;
  /** Whether the answer can also be an event stream of such values. */
  isStreamed?: true;
  /** A valid input. */
  example: Record<string, unknown>;
  /** Reasons for failure beyond those of every procedure. */
  alsoFails: readonly Reason[];
}

/** Every schema that has a name in the API's description. */
export const ANSWER_SCHEMAS = {
  ...LOCK_ANSWERS,
  WatchAnswer: watchAnswer,
  ...MULTI_LOCK_ANSWERS,
  ...COUNTER_ANSWERS,
  WitnessReportAnswer: witnessReportAnswer,
} as const satisfies Record<string, z.ZodType>;

/**
 * Every procedure that programs can call. The router, the fast path, the published description and
 * the page about it are made from this table. Names, inputs and answers are a contract: they can
 * gain fields, and never lose any.
 */
export const SERVICE_API = {
  'lock.acquire': {
    kind: 'mutation',
    verb: 'acquire',
    title: 'Acquire a lock',
    says:
      'Grants the lock, or waits for it in a first-in, first-out queue for up to `waitMs`. A ' +
      'request is held open for at most 25 s: a longer wait needs a `requestId` and is ' +
      'answered `queued` in between. With a `requestId` a call whose reply was lost can be ' +
      'repeated: nothing is granted twice.',
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
    verb: 'acquire',
    title: 'Cancel an acquire',
    says:
      'Undoes the acquire with this `requestId`: leaves the queue, or releases the lock if it ' +
      'was granted meanwhile.',
    input: cancelInput,
    answer: cancelAnswer,
    example: { name: 'invoices:2026-11', owner: 'billing-1', requestId: '8f1c2a' },
    alsoFails: [],
  },
  'lock.acquireMany': {
    kind: 'mutation',
    verb: 'acquire',
    title: 'Acquire several locks together',
    says:
      'Grants all of 2 to 20 locks of one namespace, or none. A waiting call holds nothing: it ' +
      'waits in the queue of one lock that blocks it, and moves to the queue of another when ' +
      'that one blocks it instead. So it cannot deadlock, whatever order others use. Calls ' +
      'that need fewer locks can overtake it; if its locks are never free at the same time, it ' +
      'times out. Each grant is an ordinary hold, renewed and released on its own. It is never ' +
      'reentrant: a lock that the same owner already holds blocks it.',
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
    verb: 'acquire',
    title: 'Cancel an acquire of several locks',
    says:
      'Undoes the `lock.acquireMany` with this `requestId` and exactly these locks: leaves the ' +
      'queue, or releases the locks that were granted and not released yet.',
    input: cancelManyInput,
    answer: cancelAnswer,
    example: { names: ['accounts:7', 'accounts:9'], owner: 'transfers-1', requestId: '61e0f3' },
    alsoFails: [],
  },
  'lock.renew': {
    kind: 'mutation',
    verb: 'renew',
    title: 'Renew a lock',
    says:
      'Restarts the lease. It never shortens a lease and never revives a hold that has ended. ' +
      'Renew after a third of the lease. It acts only on the hold with this `owner` and ' +
      '`token` that belongs to the key’s service. `released`: the hold was released before the ' +
      'end of `holdAtLeastMs`.',
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
    verb: 'release',
    title: 'Release a lock',
    says:
      'Ends the hold; if the owner entered more than once, releases one entry. Until the end of ' +
      '`holdAtLeastMs` the lock stays taken, and the queue waits: see `freesAt`. With a ' +
      '`requestId` it is safe to repeat: one id releases at most once.',
    input: releaseInput,
    answer: releaseAnswer,
    example: { name: 'invoices:2026-11', owner: 'billing-1', token: 145_000_000_000_001 },
    alsoFails: [],
  },
  'lock.inspect': {
    kind: 'query',
    verb: 'read',
    title: 'Inspect a lock',
    says: 'Returns the holders and waiters of a lock. A lock that was never acquired is `free`.',
    input: inspectInput,
    answer: inspectAnswer,
    example: { name: 'invoices:2026-11' },
    alsoFails: [],
  },
  'lock.list': {
    kind: 'query',
    verb: 'read',
    title: 'List locks',
    says:
      'Returns the locks of a namespace in byte order of their names, page by page, as the ' +
      'server last read them: usually a fraction of a second ago, see `ageMs`. Do not base ' +
      'decisions on this list: `lock.inspect` reads the lock itself.',
    input: listInput,
    answer: listAnswer,
    example: { prefix: 'invoices:', busy: true, limit: 100 },
    alsoFails: [],
  },
  'lock.watch': {
    kind: 'mutation',
    verb: 'read',
    title: 'Watch locks',
    says:
      'Returns the changes after `since` of up to 1,000 locks, or of all with a prefix; without ' +
      'any, it is held open for up to 25 s until there is one. The answer contains the latest ' +
      'state of each lock, not every state in between, usually within half a second of the ' +
      'change; a state is never older than one in an earlier answer. A renewal alone is not a ' +
      'change. A `POST`, since its input can be long; with `Accept: text/event-stream` the ' +
      'answer is a stream of such values, each resumable by its id. To hold a lock, acquire it: ' +
      'a lock that is shown as free may already be taken.',
    input: watchInput,
    answer: watchAnswer,
    isStreamed: true,
    example: { names: ['scheduler'], waitMs: 0 },
    alsoFails: [],
  },
  'lock.check': {
    kind: 'query',
    verb: 'read',
    title: 'Check a token',
    says:
      'Says whether the hold with this token is live, for a resource that cannot store the ' +
      'highest token it has seen. Comparing tokens in the same statement as the write is safer.',
    input: checkInput,
    answer: checkAnswer,
    example: { name: 'invoices:2026-11', token: 145_000_000_000_001 },
    alsoFails: [],
  },
  'counter.create': {
    kind: 'mutation',
    verb: 'count',
    title: 'Create a counter',
    says:
      'Creates a counter with an initial value and optional bounds. Safe to repeat: an existing ' +
      'counter is not changed.',
    input: counterCreateInput,
    answer: counterCreateAnswer,
    example: { name: 'tickets:2026-11', initial: 500, floor: 0, ceiling: 500 },
    alsoFails: ['NAMESPACE_FULL'],
  },
  'counter.add': {
    kind: 'mutation',
    verb: 'count',
    title: 'Add to a counter',
    says:
      'Adds `delta`, entirely or not at all. With a `requestId` a call whose reply was lost ' +
      'can be repeated: nothing is applied twice.',
    input: counterAddInput,
    answer: counterAddAnswer,
    example: { name: 'tickets:2026-11', delta: -1, requestId: '5d20b7' },
    alsoFails: [],
  },
  'counter.get': {
    kind: 'query',
    verb: 'read',
    title: 'Read a counter',
    says:
      'Returns the value and the bounds. A counter that was never created, or has been deleted, ' +
      'is `NOT_FOUND`.',
    input: counterGetInput,
    answer: counterGetAnswer,
    example: { name: 'tickets:2026-11' },
    alsoFails: [],
  },
  'witness.report': {
    kind: 'mutation',
    verb: null,
    title: 'Report on processes',
    says:
      '`lockyard witness` calls this every second to report which of the processes that hold ' +
      'locks are alive, and to learn which to examine next. Only for a key created with `keys ' +
      'create --witness`, which can call nothing else. A report concerns only the host, boot and ' +
      'process id namespace that it names.',
    input: witnessReportInput,
    answer: witnessReportAnswer,
    example: {
      host: 'host-4',
      bootId: '3f1c7a52-8d1e-4c77-9b0a-2f6d8e5a1b90',
      pidNamespace: '4026531836',
      processes: [{ pid: 4127, pidStart: '881234', state: 'alive', evidence: 'running' }],
    },
    alsoFails: [],
  },
} as const satisfies Record<string, ServiceProcedure>;

export type ServiceProcedureName = keyof typeof SERVICE_API;
export type ServiceInput<P extends ServiceProcedureName> = z.output<
  (typeof SERVICE_API)[P]['input']
>;
export type ServiceAnswer<P extends ServiceProcedureName> = z.output<
  (typeof SERVICE_API)[P]['answer']
>;
