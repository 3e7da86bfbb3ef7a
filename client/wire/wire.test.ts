import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { ServiceRouter } from '../../server/api/rpc/service/service-router';
import type * as counterInputs from '../../server/contract/counter/inputs';
import type { Reason as ServerReason } from '../../server/contract/errors';
import type * as answers from '../../server/contract/lock/answers';
import type * as inputs from '../../server/contract/lock/inputs';
import type * as counterAnswers from '../../server/core/counter/counter-command';
import type { EndCause as ServerEndCause } from '../../server/core/lock/lock-record';
import type * as setWire from './set-wire';
import type * as wire from './wire';

test('the client speaks exactly the types of the server, both ways', () => {
  expectTypeOf<wire.AcquireInput>().toEqualTypeOf<z.input<typeof inputs.acquireInput>>();
  expectTypeOf<wire.CancelInput>().toEqualTypeOf<z.input<typeof inputs.cancelInput>>();
  expectTypeOf<wire.RenewInput>().toEqualTypeOf<z.input<typeof inputs.renewInput>>();
  expectTypeOf<wire.ReleaseInput>().toEqualTypeOf<z.input<typeof inputs.releaseInput>>();
  expectTypeOf<wire.LockRef>().toEqualTypeOf<z.input<typeof inputs.inspectInput>>();
  expectTypeOf<wire.ListInput>().toEqualTypeOf<z.input<typeof inputs.listInput>>();
  expectTypeOf<wire.CheckInput>().toEqualTypeOf<z.input<typeof inputs.checkInput>>();

  expectTypeOf<wire.AcquireAnswer>().toEqualTypeOf<answers.AcquireAnswer>();
  expectTypeOf<wire.CancelAnswer>().toEqualTypeOf<answers.CancelAnswer>();
  expectTypeOf<wire.RenewAnswer>().toEqualTypeOf<answers.RenewAnswer>();
  expectTypeOf<wire.ReleaseAnswer>().toEqualTypeOf<answers.ReleaseAnswer>();
  expectTypeOf<wire.InspectAnswer>().toEqualTypeOf<answers.InspectAnswer>();
  expectTypeOf<wire.ListAnswer>().toEqualTypeOf<answers.ListAnswer>();
  expectTypeOf<wire.CheckAnswer>().toEqualTypeOf<answers.CheckAnswer>();

  expectTypeOf<wire.CounterCreateInput>().toEqualTypeOf<
    z.input<typeof counterInputs.counterCreateInput>
  >();
  expectTypeOf<wire.CounterAddInput>().toEqualTypeOf<
    z.input<typeof counterInputs.counterAddInput>
  >();
  expectTypeOf<wire.CounterRef>().toEqualTypeOf<z.input<typeof counterInputs.counterGetInput>>();
  expectTypeOf<wire.CounterCreateAnswer>().toEqualTypeOf<counterAnswers.CreateAnswer>();
  expectTypeOf<wire.CounterAddAnswer>().toEqualTypeOf<counterAnswers.AddAnswer>();
  expectTypeOf<wire.CounterGetAnswer>().toEqualTypeOf<counterAnswers.GetAnswer>();

  expectTypeOf<wire.Reason>().toEqualTypeOf<ServerReason>();
  expectTypeOf<wire.EndCause>().toEqualTypeOf<ServerEndCause>();
});

test('the client speaks exactly the types of the service router, both ways', () => {
  type Inputs = inferRouterInputs<ServiceRouter>['lock'];
  expectTypeOf<{
    acquire: wire.AcquireInput;
    acquireMany: setWire.AcquireManyInput;
    cancelMany: setWire.CancelManyInput;
    cancel: wire.CancelInput;
    renew: wire.RenewInput;
    release: wire.ReleaseInput;
    inspect: wire.LockRef;
    list: wire.ListInput;
    check: wire.CheckInput;
  }>().toEqualTypeOf<Inputs>();

  type Answers = inferRouterOutputs<ServiceRouter>['lock'];
  expectTypeOf<{
    acquire: wire.AcquireAnswer;
    acquireMany: setWire.AcquireManyAnswer;
    cancelMany: wire.CancelAnswer;
    cancel: wire.CancelAnswer;
    renew: wire.RenewAnswer;
    release: wire.ReleaseAnswer;
    inspect: wire.InspectAnswer;
    list: wire.ListAnswer;
    check: wire.CheckAnswer;
  }>().toEqualTypeOf<Answers>();

  type CounterInputs = inferRouterInputs<ServiceRouter>['counter'];
  expectTypeOf<{
    create: wire.CounterCreateInput;
    add: wire.CounterAddInput;
    get: wire.CounterRef;
  }>().toEqualTypeOf<CounterInputs>();

  type CounterAnswers = inferRouterOutputs<ServiceRouter>['counter'];
  expectTypeOf<{
    create: wire.CounterCreateAnswer;
    add: wire.CounterAddAnswer;
    get: wire.CounterGetAnswer;
  }>().toEqualTypeOf<CounterAnswers>();
});
