import { auditListInput, backendRef } from '../../../contract/console/console-inputs';
import { shardHomeInput, shardNamesInput } from '../../../contract/console/shard-row';
import { listAudit } from '../../../operations/audit/list-audit';
import {
  listBackends,
  listGuarantees,
  refreshGuarantees,
} from '../../../operations/backends/list-backends';
import { findShardOfName, listShards } from '../../../operations/backends/list-shards';
import {
  consoleKeysRouter,
  consoleNamespacesRouter,
  consolePeopleRouter,
} from './console-access-router';
import { consoleCountersRouter } from './console-counters-router';
import { consoleInsightsRouter } from './console-insights-router';
import { consoleLocksRouter } from './console-locks-router';
import { consoleProcedure, consoleRouterOf } from './console-procedure';
import { consoleSessionRouter } from './console-session-router';

/** The API of the console's own pages. It changes with them; programs use the service API. */
export const consoleRouter = consoleRouterOf({
  session: consoleSessionRouter,
  locks: consoleLocksRouter,
  counters: consoleCountersRouter,
  insights: consoleInsightsRouter,
  audit: consoleRouterOf({
    list: consoleProcedure
      .input(auditListInput)
      .query(({ ctx, input }) => listAudit(ctx.operation, input)),
  }),
  keys: consoleKeysRouter,
  people: consolePeopleRouter,
  namespaces: consoleNamespacesRouter,
  backends: consoleRouterOf({
    shards: consoleProcedure
      .input(shardNamesInput)
      .query(({ ctx, input }) => listShards(ctx.operation, input)),
    home: consoleProcedure
      .input(shardHomeInput)
      .query(({ ctx, input }) => findShardOfName(ctx.operation, input)),
    list: consoleProcedure.query(({ ctx }) => listBackends(ctx.operation)),
    guarantees: consoleProcedure.query(({ ctx }) => listGuarantees(ctx.operation)),
    readGuarantees: consoleProcedure
      .input(backendRef)
      .mutation(({ ctx, input }) => refreshGuarantees(ctx.operation, input)),
  }),
});

export type ConsoleRouter = typeof consoleRouter;
