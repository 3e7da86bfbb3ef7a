'use client';

import { useState } from 'react';
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
import { exactCount } from '../format/counts';
import { Field } from '../ui/controls/field';

/**
 * The fields of a policy, as `parsePolicyForm` reads them; the bounds of the bounds are checked here and
 * by the server.
 */
export function PolicyFields({
  policy,
  isOwnAtFirst,
}: {
  policy: NamespacePolicy;
  isOwnAtFirst: boolean;
}) {
  const [isOwn, setOwn] = useState(isOwnAtFirst);
  return (
    <>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="mb-1.5 font-[550]">This namespace has</legend>
        {[false, true].map((own) => (
          <label key={String(own)} className="choice">
            <input
              type="radio"
              name="whose"
              value={own ? 'own' : 'default'}
              className="sr-only"
              checked={own === isOwn}
              onChange={() => setOwn(own)}
            />
            {own ? 'bounds of its own' : 'the default policy'}
          </label>
        ))}
      </fieldset>
      {isOwn && <CustomPolicyFields policy={policy} />}
    </>
  );
}

function CustomPolicyFields({ policy }: { policy: NamespacePolicy }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SecondsField
        label="Shortest lease"
        name="leaseMin"
        ms={policy.leaseMinMs}
        min={LEASE_MIN_MS}
        max={LEASE_MAX_MS}
      />
      <SecondsField
        label="Longest lease"
        name="leaseMax"
        ms={policy.leaseMaxMs}
        min={LEASE_MIN_MS}
        max={LEASE_MAX_MS}
      />
      <SecondsField
        label="Longest patience"
        name="patience"
        ms={policy.patienceMaxMs}
        min={0}
        max={WAIT_MAX_MS}
      />
      <Field
        label="Longest queue"
        hint={`0 to ${QUEUE_LIMIT_MAX}`}
        name="queue"
        type="number"
        inputMode="numeric"
        required
        min={0}
        max={QUEUE_LIMIT_MAX}
        step={1}
        defaultValue={policy.queueLimit}
      />
      <SecondsField
        label="Lock-delay"
        name="delay"
        ms={policy.lockDelayMs}
        min={0}
        max={LOCK_DELAY_MAX_MS}
      />
      <SecondsField
        label="Stuck after"
        name="stuck"
        ms={policy.stuckAfterMs}
        min={0}
        max={STUCK_AFTER_MAX_MS}
        meaning="0: by its history"
      />
      <Field
        label="Most locks and counters"
        hint={`together, 1 to ${exactCount(MAX_LOCKS_MAX)}`}
        name="maxLocks"
        type="number"
        inputMode="numeric"
        required
        min={1}
        max={MAX_LOCKS_MAX}
        step={1}
        defaultValue={policy.maxLocks}
      />
      <div className="sm:col-span-2">
        <Field
          label="Required meta"
          hint="keys that every acquire fills in, with commas between"
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

function SecondsField({
  label,
  name,
  ms,
  min,
  max,
  meaning,
}: {
  label: string;
  name: string;
  ms: number;
  min: number;
  max: number;
  meaning?: string;
}) {
  return (
    <Field
      label={label}
      hint={`s, ${meaning ?? `${min / 1_000} to ${max / 1_000}`}`}
      name={name}
      type="number"
      inputMode="decimal"
      required
      min={min / 1_000}
      max={max / 1_000}
      step={0.001}
      defaultValue={ms / 1_000}
    />
  );
}
