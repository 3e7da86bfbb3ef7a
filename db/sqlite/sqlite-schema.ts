import type { Kit } from '../kits/mysql';
import { sqliteKit } from '../kits/sqlite';
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
  alerts,
  alertReceivers,
  alertRules,
  alertSilences,
} = defineSchema(sqliteKit as unknown as Kit);
