import {
  createNamespaceInput,
  setNamespacePolicyInput,
} from '../../../contract/console/access-inputs';
import {
  setAlertRulesInput,
  silenceAlertsInput,
  silenceRef,
} from '../../../contract/console/alerts/alert-inputs';
import {
  auditListInput,
  backendRef,
  changeViewInput,
  extendInput,
  forceReleaseInput,
  freezeInput,
  lockEventsInput,
  lockInsightInput,
  reassignInput,
  releaseRequestInput,
  savedViewRef,
  saveViewInput,
  setCapacityInput,
  stepBackInput,
  takeOnInput,
  unfreezeInput,
  watchHoldersInput,
  watchLockInput,
  watchLocksInput,
  watchWaitsInput,
} from '../../../contract/console/console-inputs';
import {
  adjustCounterByInput,
  adjustCounterInput,
  counterListInput,
  counterMovesInput,
  counterRef,
  reconcileCounterInput,
  setCounterBoundsInput,
  setUpCounterInput,
  watchCounterInput,
  watchCountersInput,
} from '../../../contract/console/counter-inputs';
import { chosenNamesInput, deleteNamesInput } from '../../../contract/console/deletion-inputs';
import {
  labPreflightInput,
  labRunRef,
  labRunsInput,
  labSourceInput,
  labStartInput,
} from '../../../contract/console/lab/lab-inputs';
import {
  asOfInput,
  incidentRef,
  incidentsInput,
  lockTimelineInput,
  overviewInput,
  pastChangeInput,
  pastCounterListInput,
  pastCounterRef,
  pastHoldersInput,
  pastLockListInput,
  pastLockRef,
  pastMinuteInput,
  pastProcessRef,
} from '../../../contract/console/past/past-inputs';
import { shardHomeInput, shardNamesInput } from '../../../contract/console/shard-row';
import {
  listAlertRules,
  listAlerts,
  summariseAlerts,
} from '../../../operations/alerts/alert-views';
import { setAlertRules } from '../../../operations/alerts/set-alert-rules';
import { endSilence, silenceAlerts } from '../../../operations/alerts/silence-alerts';
import { listAudit } from '../../../operations/audit/list-audit';
import {
  listBackendCourses,
  listBackends,
  listGuarantees,
  refreshGuarantees,
} from '../../../operations/backends/list-backends';
import { findShardOfName, listShards } from '../../../operations/backends/list-shards';
import { adjustCounter } from '../../../operations/counters/for-people/adjust-counter';
import { adjustCounterBy } from '../../../operations/counters/for-people/adjust-counter-by';
import {
  getCounterCourse,
  getCounterDetail,
  listCounterCourses,
  listCounterMoves,
  listCounters,
  watchCounter,
  watchCounters,
} from '../../../operations/counters/for-people/counter-views';
import { createCounter } from '../../../operations/counters/for-people/create-counter';
import { reconcileCounter } from '../../../operations/counters/for-people/reconcile-counter';
import { setCounterBounds } from '../../../operations/counters/for-people/set-counter-bounds';
import { getOverview } from '../../../operations/insights/get-overview';
import { getIncident, listIncidents } from '../../../operations/insights/incident-views';
import {
  findPastChange,
  getPastMinute,
  getPastRange,
} from '../../../operations/insights/past-views';
import {
  getLabPreflight,
  getLabRun,
  getLabSource,
  listLabRuns,
} from '../../../operations/lab/lab-views';
import { startRace } from '../../../operations/lab/start-race';
import { stopRace } from '../../../operations/lab/stop-race';
import { extendLock } from '../../../operations/locks/for-people/extend-lock';
import { forceReleaseLock } from '../../../operations/locks/for-people/force-release-lock';
import { getLockTimeline } from '../../../operations/locks/for-people/get-lock-timeline';
import {
  getFleet,
  getLockDetail,
  getLockInsight,
  listLockEvents,
  listLocks,
  watchLock,
  watchLocks,
} from '../../../operations/locks/for-people/lock-views';
import { reassignLock } from '../../../operations/locks/for-people/reassign-lock';
import { requestRelease } from '../../../operations/locks/for-people/request-release';
import { setCapacity } from '../../../operations/locks/for-people/set-capacity';
import { setFrozen } from '../../../operations/locks/for-people/set-frozen';
import {
  listLockPresence,
  stepBackFromLock,
  takeOnLock,
} from '../../../operations/locks/for-people/take-on-lock';
import { createNamespace } from '../../../operations/namespaces/create-namespace';
import { deleteNames, previewDeletion } from '../../../operations/namespaces/delete-names';
import { listFilling } from '../../../operations/namespaces/list-filling';
import { listGates } from '../../../operations/namespaces/list-gates';
import { listNamespaces } from '../../../operations/namespaces/list-namespaces';
import { setNamespacePolicy } from '../../../operations/namespaces/set-namespace-policy';
import { changeSavedView } from '../../../operations/saved-views/change-saved-view';
import { deleteSavedView } from '../../../operations/saved-views/delete-saved-view';
import { listSavedViews } from '../../../operations/saved-views/list-saved-views';
import { saveView } from '../../../operations/saved-views/save-view';
import { getProcess, listHolders, watchHolders } from '../../../operations/waits/holder-views';
import {
  getWaitGraph,
  listDeadlockedLocks,
  listDeadlocks,
  watchWaits,
} from '../../../operations/waits/wait-views';
import { liveStream } from '../live-stream';
import { asParser } from '../parse-input';
import { consoleKeysRouter, consolePeopleRouter } from './console-access-router';
import { consoleProcedure, consoleRouterOf, mutation, query, stream } from './console-procedure';
import { consoleSessionRouter } from './console-session-router';

const locks = consoleRouterOf({
  list: query(pastLockListInput, listLocks),
  watch: consoleProcedure
    .input(asParser(watchLocksInput))
    .subscription(({ ctx, input: { lastEventId, ...input } }) =>
      liveStream(ctx, watchLocks(ctx.operation, input, lastEventId ?? null)),
    ),
  detail: query(pastLockRef, getLockDetail),
  watchDetail: stream(watchLockInput, watchLock),
  events: query(lockEventsInput, listLockEvents),
  forceRelease: mutation(forceReleaseInput, forceReleaseLock),
  reassign: mutation(reassignInput, reassignLock),
  extend: mutation(extendInput, extendLock),
  askRelease: mutation(releaseRequestInput, (ctx, input) =>
    requestRelease(ctx, 'askRelease', input),
  ),
  stopRenewals: mutation(releaseRequestInput, (ctx, input) =>
    requestRelease(ctx, 'stopRenewals', input),
  ),
  freeze: mutation(freezeInput, (ctx, input) => setFrozen(ctx, 'freeze', input)),
  unfreeze: mutation(unfreezeInput, (ctx, input) => setFrozen(ctx, 'unfreeze', input)),
  setCapacity: mutation(setCapacityInput, setCapacity),
  presence: consoleProcedure.query(({ ctx }) => listLockPresence(ctx.operation)),
  takeOn: mutation(takeOnInput, takeOnLock),
  stepBack: mutation(stepBackInput, stepBackFromLock),
  previewDeletion: query(chosenNamesInput, previewDeletion),
  delete: mutation(deleteNamesInput, deleteNames),
});

const counters = consoleRouterOf({
  list: query(pastCounterListInput, listCounters),
  watch: stream(watchCountersInput, watchCounters),
  detail: query(pastCounterRef, getCounterDetail),
  watchDetail: stream(watchCounterInput, watchCounter),
  moves: query(counterMovesInput, listCounterMoves),
  courses: query(counterListInput, listCounterCourses),
  course: query(counterRef, getCounterCourse),
  create: mutation(setUpCounterInput, createCounter),
  adjust: mutation(adjustCounterInput, adjustCounter),
  adjustBy: mutation(adjustCounterByInput, adjustCounterBy),
  setBounds: mutation(setCounterBoundsInput, setCounterBounds),
  reconcile: mutation(reconcileCounterInput, reconcileCounter),
});

/** The API of the console's own pages. It changes with them; programs use the service API. */
export const consoleRouter = consoleRouterOf({
  session: consoleSessionRouter,
  locks,
  counters,
  views: consoleRouterOf({
    list: consoleProcedure.query(({ ctx }) => listSavedViews(ctx.operation)),
    save: mutation(saveViewInput, saveView),
    change: mutation(changeViewInput, changeSavedView),
    delete: mutation(savedViewRef, deleteSavedView),
  }),
  insights: consoleRouterOf({
    lock: query(lockInsightInput, getLockInsight),
    timeline: query(lockTimelineInput, getLockTimeline),
    overview: query(overviewInput, getOverview),
    incidents: query(incidentsInput, listIncidents),
    incident: query(incidentRef, getIncident),
    fleet: consoleProcedure.query(({ ctx }) => getFleet(ctx.operation)),
  }),
  past: consoleRouterOf({
    range: consoleProcedure.query(({ ctx }) => getPastRange(ctx.operation)),
    change: query(pastChangeInput, findPastChange),
    minute: query(pastMinuteInput, getPastMinute),
  }),
  waits: consoleRouterOf({
    graph: query(asOfInput, getWaitGraph),
    watch: stream(watchWaitsInput, watchWaits),
    deadlocks: consoleProcedure.query(({ ctx }) => listDeadlocks(ctx.operation)),
    deadlocked: consoleProcedure.query(({ ctx }) => listDeadlockedLocks(ctx.operation)),
  }),
  holders: consoleRouterOf({
    list: query(pastHoldersInput, listHolders),
    watch: stream(watchHoldersInput, watchHolders),
    process: query(pastProcessRef, getProcess),
  }),
  alerts: consoleRouterOf({
    list: consoleProcedure.query(({ ctx }) => listAlerts(ctx.operation)),
    summary: consoleProcedure.query(({ ctx }) => summariseAlerts(ctx.operation)),
    rules: consoleProcedure.query(({ ctx }) => listAlertRules(ctx.operation)),
    setRules: mutation(setAlertRulesInput, setAlertRules),
    silence: mutation(silenceAlertsInput, silenceAlerts),
    endSilence: mutation(silenceRef, endSilence),
  }),
  audit: consoleRouterOf({ list: query(auditListInput, listAudit) }),
  keys: consoleKeysRouter,
  people: consolePeopleRouter,
  namespaces: consoleRouterOf({
    list: consoleProcedure.query(({ ctx }) => listNamespaces(ctx.operation)),
    filling: consoleProcedure.query(({ ctx }) => listFilling(ctx.operation)),
    gates: consoleProcedure.query(({ ctx }) => listGates(ctx.operation)),
    create: mutation(createNamespaceInput, createNamespace),
    setPolicy: mutation(setNamespacePolicyInput, setNamespacePolicy),
  }),
  backends: consoleRouterOf({
    shards: query(shardNamesInput, listShards),
    home: query(shardHomeInput, findShardOfName),
    list: consoleProcedure.query(({ ctx }) => listBackends(ctx.operation)),
    courses: consoleProcedure.query(({ ctx }) => listBackendCourses(ctx.operation)),
    guarantees: consoleProcedure.query(({ ctx }) => listGuarantees(ctx.operation)),
    readGuarantees: mutation(backendRef, refreshGuarantees),
  }),
  lab: consoleRouterOf({
    preflight: query(labPreflightInput, getLabPreflight),
    source: query(labSourceInput, getLabSource),
    runs: query(labRunsInput, listLabRuns),
    run: query(labRunRef, getLabRun),
    start: mutation(labStartInput, startRace),
    stop: mutation(labRunRef, stopRace),
  }),
});

export type ConsoleRouter = typeof consoleRouter;
