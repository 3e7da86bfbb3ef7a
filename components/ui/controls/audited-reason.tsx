import { REASON_MAX_CHARS, REASON_MIN_CHARS } from '@/server/contract/console/console-terms';
import { Field } from './field';

/** The reason for an action, as the field `reason` of a form. */
export function AuditedReason() {
  return (
    <Field
      label="Reason"
      hint="recorded in the audit log"
      name="reason"
      required
      minLength={REASON_MIN_CHARS}
      maxLength={REASON_MAX_CHARS}
      autoComplete="off"
    />
  );
}
