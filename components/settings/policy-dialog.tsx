'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { REASON_MAX_CHARS, REASON_MIN_CHARS } from '@/server/domain/console-terms';
import {
  LEASE_MAX_MS,
  LEASE_MIN_MS,
  LOCK_DELAY_MAX_MS,
  QUEUE_LIMIT_MAX,
  STUCK_AFTER_MAX_MS,
  WAIT_MAX_MS,
} from '@/server/domain/namespace-policy';
import type { NamespaceRow } from '@/server/domain/namespace-row';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Field } from '../ui/field';
import { FormDialog } from './form-dialog';
import { keysOf, msOfSeconds } from './policy-words';

/** What a namespace allows its callers; the bounds of the bounds are checked here and by the server. */
export function PolicyDialog({ of, onClose }: { of: NamespaceRow; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [isOwn, setOwn] = useState(of.hasOwnPolicy);
  const { policy, name } = of;
  return (
    <FormDialog
      title={`The policy of ${name}`}
      intro="It holds for new calls within 2 s. Whoever holds a lock or waits for one keeps what it has."
      act="Change the policy"
      onClose={onClose}
      onAct={async (form) => {
        await client.namespaces.setPolicy.mutate({
          name,
          policy: isOwn ? policyOf(form) : null,
          reason: String(form.get('reason')),
        });
        await queries.invalidateQueries({ queryKey: trpc.namespaces.list.queryKey() });
        onClose();
      }}
    >
      <fieldset className="flex flex-wrap gap-2">
        <legend className="mb-1.5 font-[550]">This namespace has</legend>
        {[false, true].map((own) => (
          <label key={String(own)} className="choice">
            <input
              type="radio"
              name="whose"
              className="sr-only"
              checked={own === isOwn}
              onChange={() => setOwn(own)}
            />
            {own ? 'bounds of its own' : 'the default policy'}
          </label>
        ))}
      </fieldset>
      {isOwn && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Seconds
            label="Shortest lease"
            name="leaseMin"
            ms={policy.leaseMinMs}
            min={LEASE_MIN_MS}
            max={LEASE_MAX_MS}
          />
          <Seconds
            label="Longest lease"
            name="leaseMax"
            ms={policy.leaseMaxMs}
            min={LEASE_MIN_MS}
            max={LEASE_MAX_MS}
          />
          <Seconds
            label="Longest patience"
            name="patience"
            ms={policy.patienceMaxMs}
            min={0}
            max={WAIT_MAX_MS}
          />
          <Seconds
            label="Lock-delay"
            name="delay"
            ms={policy.lockDelayMs}
            min={0}
            max={LOCK_DELAY_MAX_MS}
          />
          <Seconds
            label="Stuck after"
            name="stuck"
            ms={policy.stuckAfterMs}
            min={0}
            max={STUCK_AFTER_MAX_MS}
            meaning="0: its history decides"
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
          <Field
            label="Required meta"
            hint="keys, with commas"
            name="meta"
            mono
            defaultValue={policy.requiredMeta.join(', ')}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
      )}
      <Field
        label="Reason"
        hint="kept in the audit log"
        name="reason"
        required
        minLength={REASON_MIN_CHARS}
        maxLength={REASON_MAX_CHARS}
        autoComplete="off"
      />
    </FormDialog>
  );
}

function policyOf(form: FormData): NamespaceRow['policy'] {
  return {
    leaseMinMs: msOfSeconds(form.get('leaseMin')),
    leaseMaxMs: msOfSeconds(form.get('leaseMax')),
    patienceMaxMs: msOfSeconds(form.get('patience')),
    queueLimit: Number(form.get('queue')),
    lockDelayMs: msOfSeconds(form.get('delay')),
    requiredMeta: keysOf(form.get('meta')),
    stuckAfterMs: msOfSeconds(form.get('stuck')),
  };
}

function Seconds({
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
