'use client';

import { useId, useState } from 'react';
import {
  LEASE_MAX_MS,
  LEASE_MIN_MS,
  LOCK_DELAY_MAX_MS,
  MAX_LOCKS_MAX,
  type NamespacePolicy,
  QUEUE_LIMIT_MAX,
  STUCK_AFTER_MAX_MS,
  WAIT_MAX_MS,
} from '@/server/contract/namespace-policy';
import { exactCount } from '@/server/core/format/numbers';
import { Choice } from '../ui/controls/choices/choice';
import { Field } from '../ui/controls/field';
import { DurationField, enteredDuration } from './duration-field';

/**
 * The fields of a policy, read by `parsePolicyForm`. Limits are checked here and by the server.
 * When `policy` changes, each field whose value differs in it shows the new one; the others keep
 * what was entered.
 */
export function PolicyFields({
  policy,
  gates,
  isCustomAtFirst,
}: {
  policy: NamespacePolicy;
  /** The ids of the gates of this server. */
  gates: string[];
  isCustomAtFirst: boolean;
}) {
  const [isCustom, setCustom] = useState(isCustomAtFirst);
  const [wasCustom, setWasCustom] = useState(isCustomAtFirst);
  if (isCustomAtFirst !== wasCustom) {
    setWasCustom(isCustomAtFirst);
    setCustom(isCustomAtFirst);
  }
  return (
    <>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="mb-1.5 font-[550]">Policy</legend>
        {[false, true].map((custom) => (
          <Choice
            key={String(custom)}
            name="policy"
            value={custom ? 'custom' : 'default'}
            isChosen={custom === isCustom}
            onChoose={() => setCustom(custom)}
          >
            {custom ? 'Custom' : 'Default'}
          </Choice>
        ))}
      </fieldset>
      {isCustom && <CustomPolicyFields policy={policy} gates={gates} />}
    </>
  );
}

function CustomPolicyFields({ policy, gates }: { policy: NamespacePolicy; gates: string[] }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <DurationField
        key={`leaseMinMs ${policy.leaseMinMs}`}
        label="Min lease"
        name="leaseMin"
        ms={policy.leaseMinMs}
        min={LEASE_MIN_MS}
        max={LEASE_MAX_MS}
      />
      <DurationField
        key={`leaseMaxMs ${policy.leaseMaxMs}`}
        label="Max lease"
        name="leaseMax"
        ms={policy.leaseMaxMs}
        min={LEASE_MIN_MS}
        max={LEASE_MAX_MS}
      />
      <DurationField
        key={`patienceMaxMs ${policy.patienceMaxMs}`}
        label="Max wait"
        name="maxWait"
        ms={policy.patienceMaxMs}
        min={0}
        max={WAIT_MAX_MS}
      />
      <Field
        key={`queueLimit ${policy.queueLimit}`}
        label="Max queue length"
        hint={`0 to ${exactCount(QUEUE_LIMIT_MAX)}`}
        name="queue"
        type="number"
        inputMode="numeric"
        required
        min={0}
        max={QUEUE_LIMIT_MAX}
        step={1}
        defaultValue={policy.queueLimit}
      />
      <DurationField
        key={`lockDelayMs ${policy.lockDelayMs}`}
        label="Lock delay"
        name="delay"
        ms={policy.lockDelayMs}
        min={0}
        max={LOCK_DELAY_MAX_MS}
      />
      <DurationField
        key={`stuckAfterMs ${policy.stuckAfterMs}`}
        label="Stuck threshold"
        name="stuck"
        ms={policy.stuckAfterMs}
        min={0}
        max={STUCK_AFTER_MAX_MS}
        hint="0 = automatic, from history"
      />
      <Field
        key={`maxLocks ${policy.maxLocks}`}
        label="Max locks and counters"
        hint={`in total, 1 to ${exactCount(MAX_LOCKS_MAX)}`}
        name="maxLocks"
        type="number"
        inputMode="numeric"
        required
        min={1}
        max={MAX_LOCKS_MAX}
        step={1}
        defaultValue={policy.maxLocks}
      />
      <GateField key={`gate ${policy.gate}`} policy={policy} gates={gates} />
      <label className="choice sm:col-span-2">
        <input
          key={String(policy.standbyExpected)}
          type="checkbox"
          name="standby"
          defaultChecked={policy.standbyExpected}
          className="mr-2 shrink-0"
        />
        Standbys always wait (leader election): not a sign of trouble
      </label>
      <label className="choice sm:col-span-2">
        <input
          key={String(policy.releaseOrphans)}
          type="checkbox"
          name="orphans"
          defaultChecked={policy.releaseOrphans}
          className="mr-2 shrink-0"
        />
        Release orphaned locks once two witnesses of different kinds agree
      </label>
      <div className="sm:col-span-2">
        <Field
          key={policy.requiredMeta.join()}
          label="Required metadata keys"
          hint="comma-separated"
          name="meta"
          mono
          defaultValue={policy.requiredMeta.join(', ')}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
    </div>
  );
}

/** Left out where there is no gate to choose. */
function GateField({ policy: { gate }, gates }: { policy: NamespacePolicy; gates: string[] }) {
  const id = useId();
  const options = gate === null || gates.includes(gate) ? gates : [...gates, gate];
  if (options.length === 0) return null;
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-[550]">
        Gate for counters
        <span className="ml-2 text-12 font-[450] text-t3">MySQL and MariaDB only</span>
      </label>
      <select id={id} name="gate" className="field" defaultValue={gate ?? ''}>
        <option value="">none</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
            {gates.includes(option) ? '' : ' (not configured here)'}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What was entered in `PolicyFields`; null for the default policy. */
export function parsePolicyForm(form: FormData): NamespacePolicy | null {
  if (form.get('policy') !== 'custom') return null;
  const durationIn = (name: string) => enteredDuration(form, name) ?? -1;
  return {
    leaseMinMs: durationIn('leaseMin'),
    leaseMaxMs: durationIn('leaseMax'),
    patienceMaxMs: durationIn('maxWait'),
    queueLimit: Number(form.get('queue')),
    lockDelayMs: durationIn('delay'),
    requiredMeta: parseKeys(form.get('meta')),
    stuckAfterMs: durationIn('stuck'),
    standbyExpected: form.get('standby') !== null,
    releaseOrphans: form.get('orphans') !== null,
    maxLocks: Number(form.get('maxLocks')),
    gate: String(form.get('gate') ?? '') || null,
  };
}

/** Keys separated by commas or spaces. */
const parseKeys = (entered: FormDataEntryValue | null): string[] =>
  String(entered ?? '')
    .split(/[\s,]+/)
    .filter((key) => key !== '');
