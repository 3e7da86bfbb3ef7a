import type { OptionNames } from '../options/refuse-unknown-options';
import type {
  AcquireInput,
  AcquireManyInput,
  CancelInput,
  CancelManyInput,
  CheckInput,
  CounterAddInput,
  CounterCreateInput,
  CounterRef,
  ListInput,
  LockRef,
  ReleaseInput,
  RenewInput,
  WatchInput,
  WitnessReportInput,
} from './wire';

/** One procedure of the service API and how it is called. */
export interface Procedure<I = object> {
  name: string;
  kind: 'query' | 'mutation';
  /** The fields that its input may have. */
  fields: OptionNames<I>;
}

/** The fields that a lock of a set may have. */
export const SET_LOCK_FIELDS: OptionNames<AcquireManyInput['locks'][number]> = {
  name: true,
  mode: true,
};

const LOCK = { namespace: true, name: true } as const;
const OWNED = { ...LOCK, owner: true } as const;
const HOLD = { ...OWNED, token: true } as const;
const ACQUIRING = {
  owner: true,
  leaseMs: true,
  waitMs: true,
  holdAtLeastMs: true,
  meta: true,
  requestId: true,
} as const;

/** The service API. */
export const PROCEDURES = {
  acquire: mutation<AcquireInput>('lock.acquire', {
    ...LOCK,
    ...ACQUIRING,
    mode: true,
    permits: true,
    capacity: true,
    reentrant: true,
  }),
  cancel: mutation<CancelInput>('lock.cancel', { ...OWNED, requestId: true }),
  renew: mutation<RenewInput>('lock.renew', { ...HOLD, leaseMs: true }),
  release: mutation<ReleaseInput>('lock.release', { ...HOLD, requestId: true }),
  inspect: query<LockRef>('lock.inspect', LOCK),
  list: query<ListInput>('lock.list', {
    namespace: true,
    prefix: true,
    after: true,
    busy: true,
    limit: true,
  }),
  watch: mutation<WatchInput>('lock.watch', {
    namespace: true,
    names: true,
    prefix: true,
    since: true,
    waitMs: true,
  }),
  check: query<CheckInput>('lock.check', { ...LOCK, token: true }),
  acquireMany: mutation<AcquireManyInput>('lock.acquireMany', {
    namespace: true,
    locks: true,
    ...ACQUIRING,
  }),
  cancelMany: mutation<CancelManyInput>('lock.cancelMany', {
    namespace: true,
    names: true,
    owner: true,
    requestId: true,
  }),
  createCounter: mutation<CounterCreateInput>('counter.create', {
    ...LOCK,
    initial: true,
    floor: true,
    ceiling: true,
  }),
  addToCounter: mutation<CounterAddInput>('counter.add', {
    ...LOCK,
    delta: true,
    requestId: true,
    firstAttempt: true,
  }),
  getCounter: query<CounterRef>('counter.get', LOCK),
  reportProcesses: mutation<WitnessReportInput>('witness.report', {
    host: true,
    bootId: true,
    pidNamespace: true,
    processes: true,
  }),
} as const;

function mutation<I>(name: string, fields: OptionNames<I>): Procedure<I> {
  return { name, kind: 'mutation', fields };
}

function query<I>(name: string, fields: OptionNames<I>): Procedure<I> {
  return { name, kind: 'query', fields };
}
