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
      <PolicyDuration policy={policy} of="leaseMinMs" />
      <PolicyDuration policy={policy} of="leaseMaxMs" />
      <PolicyDuration policy={policy} of="patienceMaxMs" />
      <PolicyCount policy={policy} of="queueLimit" />
      <PolicyDuration policy={policy} of="lockDelayMs" />
      <PolicyDuration policy={policy} of="stuckAfterMs" />
      <PolicyCount policy={policy} of="maxLocks" />
      <GateField key={`gate ${policy.gate}`} policy={policy} gates={gates} />
      <PolicySwitch policy={policy} of="standbyExpected" />
      <PolicySwitch policy={policy} of="releaseOrphans" />
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

const DURATIONS = {
  leaseMinMs: { label: 'Min lease', name: 'leaseMin', min: LEASE_MIN_MS, max: LEASE_MAX_MS },
  leaseMaxMs: { label: 'Max lease', name: 'leaseMax', min: LEASE_MIN_MS, max: LEASE_MAX_MS },
  patienceMaxMs: { label: 'Max wait', name: 'maxWait', min: 0, max: WAIT_MAX_MS },
  lockDelayMs: { label: 'Lock delay', name: 'delay', min: 0, max: LOCK_DELAY_MAX_MS },
  stuckAfterMs: {
    label: 'Stuck threshold',
    hint: '0 = automatic, from history',
    name: 'stuck',
    min: 0,
    max: STUCK_AFTER_MAX_MS,
  },
};

function PolicyDuration({ policy, of }: { policy: NamespacePolicy; of: keyof typeof DURATIONS }) {
  return <DurationField key={policy[of]} {...DURATIONS[of]} ms={policy[of]} />;
}

const COUNTS = {
  queueLimit: {
    label: 'Max queue length',
    hint: `0 to ${exactCount(QUEUE_LIMIT_MAX)}`,
    name: 'queue',
    min: 0,
    max: QUEUE_LIMIT_MAX,
  },
  maxLocks: {
    label: 'Max locks and counters',
    hint: `in total, 1 to ${exactCount(MAX_LOCKS_MAX)}`,
    name: 'maxLocks',
    min: 1,
    max: MAX_LOCKS_MAX,
  },
};

function PolicyCount({ policy, of }: { policy: NamespacePolicy; of: keyof typeof COUNTS }) {
  return (
    <Field
      key={policy[of]}
      {...COUNTS[of]}
      type="number"
      inputMode="numeric"
      required
      step={1}
      defaultValue={policy[of]}
    />
  );
}

const SWITCHES = {
  standbyExpected: {
    label: 'Standbys always wait (leader election): not a sign of trouble',
    name: 'standby',
  },
  releaseOrphans: {
    label: 'Release orphaned locks once two witnesses of different kinds agree',
    name: 'orphans',
  },
};

function PolicySwitch({ policy, of }: { policy: NamespacePolicy; of: keyof typeof SWITCHES }) {
  const { label, name } = SWITCHES[of];
  return (
    <label className="choice sm:col-span-2">
      <input
        key={String(policy[of])}
        type="checkbox"
        name={name}
        defaultChecked={policy[of]}
        className="mr-2 shrink-0"
      />
      {label}
    </label>
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
