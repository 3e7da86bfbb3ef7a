import { mysqlKit } from '../kits/mysql';
import { defineSchema } from '../schema';

export const {
  locks,
  lockRequests,
  lockHistory,
  lockEvents,
  lockMinutes,
  lockWeeks,
  lockRefusals,
  cursors,
  backends,
  namespaces,
  settings,
  users,
  sessions,
  savedViews,
  signInFailures,
  apiKeys,
  audit,
  labRuns,
  deadlocks,
  processEvidence,
  lockPresence,
  incidents,
  lockHeat,
  counterMinutes,
} = defineSchema(mysqlKit);
