import { z } from 'zod';
import { lockName, namespaceName } from '../../primitives';
import { operatorReason } from '../console-inputs';
import {
  ALERT_AFTER_MAX_MS,
  ALERT_BLOCKING_MAX_MS,
  ALERT_KINDS,
  ALERT_WITHIN_MAX,
  SILENCE_MAX_MS,
  SILENCE_MIN_MS,
} from './alert-rules';

const after = (max = ALERT_AFTER_MAX_MS, min = 0) => z.number().int().min(min).max(max).nullable();

export const alertRules = z.strictObject({
  stuckForMs: after(),
  orphanedForMs: after(),
  expiredForMs: after(),
  waitsOverMs: after(ALERT_AFTER_MAX_MS, 1_000),
  blockingOverMs: after(ALERT_BLOCKING_MAX_MS, 1_000),
  counterWithin: after(ALERT_WITHIN_MAX),
  backendUnknownForMs: after(),
});

export const setAlertRulesInput = z.strictObject({
  namespace: namespaceName,
  /** Null: the default rules, including their later changes. */
  rules: alertRules.nullable(),
  /** The rules that the operator saw, which must be in force; absent: any. */
  seen: alertRules.optional(),
  reason: operatorReason,
});
export type SetAlertRulesInput = z.output<typeof setAlertRulesInput>;

export const silenceAlertsInput = z
  .strictObject({
    namespace: namespaceName.optional(),
    kind: z.enum(ALERT_KINDS).optional(),
    /** Each `*` matches any text; `\*` and `\\` match those characters. */
    name: lockName.optional(),
    /** How long the silence lasts from now. */
    forMs: z.number().int().min(SILENCE_MIN_MS).max(SILENCE_MAX_MS),
    reason: operatorReason,
  })
  .refine(({ namespace, kind, name }) => namespace ?? kind ?? name, {
    path: ['namespace'],
    message: 'name a namespace, a kind or a name: not everything can be silenced',
  });
export type SilenceAlertsInput = z.output<typeof silenceAlertsInput>;

export const silenceRef = z.strictObject({ id: z.string().min(1).max(24) });
export type SilenceRef = z.output<typeof silenceRef>;
