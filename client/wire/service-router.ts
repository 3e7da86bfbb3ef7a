import type {
  TRPCBuiltRouter,
  TRPCDefaultErrorShape,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from '@trpc/server';
import type {
  AcquireAnswer,
  AcquireInput,
  AcquireManyAnswer,
  AcquireManyInput,
  CancelAnswer,
  CancelInput,
  CancelManyInput,
  CheckAnswer,
  CheckInput,
  CounterAddAnswer,
  CounterAddInput,
  CounterCreateAnswer,
  CounterCreateInput,
  CounterGetAnswer,
  CounterRef,
  InspectAnswer,
  ListAnswer,
  ListInput,
  LockRef,
  Reason,
  ReleaseAnswer,
  ReleaseInput,
  RenewAnswer,
  RenewInput,
  WatchAnswer,
  WatchInput,
  WitnessReportAnswer,
  WitnessReportInput,
} from './wire';

/** The shape of an error; with 429 and 503 it always has `retryAfterMs`. */
export interface ServiceErrorShape extends Omit<TRPCDefaultErrorShape, 'data'> {
  data: {
    code: TRPCDefaultErrorShape['data']['code'];
    httpStatus: number;
    reason: Reason;
    requestId: string;
    path?: string;
    retryAfterMs?: number;
    capacity?: number;
    /** What is wrong with the API key. */
    detail?: string;
    /** The longest wait that the namespace allows, if an acquire asked for more. */
    waitMaxMs?: number;
  };
}

interface Root {
  ctx: object;
  meta: object;
  errorShape: ServiceErrorShape;
  transformer: false;
}

type Query<I, O> = TRPCQueryProcedure<{ input: I; output: O; meta: object }>;
type Mutation<I, O> = TRPCMutationProcedure<{ input: I; output: O; meta: object }>;

/**
 * The service API as a type for tRPC's own client, over `<server>/api/v1` with the API key in the
 * header `Authorization: Bearer …`. No call in a batch of several may wait.
 */
export type ServiceRouter = TRPCBuiltRouter<
  Root,
  {
    lock: {
      acquire: Mutation<AcquireInput, AcquireAnswer>;
      acquireMany: Mutation<AcquireManyInput, AcquireManyAnswer>;
      cancel: Mutation<CancelInput, CancelAnswer>;
      cancelMany: Mutation<CancelManyInput, CancelAnswer>;
      renew: Mutation<RenewInput, RenewAnswer>;
      release: Mutation<ReleaseInput, ReleaseAnswer>;
      inspect: Query<LockRef, InspectAnswer>;
      list: Query<ListInput, ListAnswer>;
      watch: Mutation<WatchInput, WatchAnswer>;
      check: Query<CheckInput, CheckAnswer>;
    };
    counter: {
      create: Mutation<CounterCreateInput, CounterCreateAnswer>;
      add: Mutation<CounterAddInput, CounterAddAnswer>;
      get: Query<CounterRef, CounterGetAnswer>;
    };
    witness: {
      report: Mutation<WitnessReportInput, WitnessReportAnswer>;
    };
  }
>;
