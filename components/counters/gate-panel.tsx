'use client';

import type { ReactNode } from 'react';
import type { CounterRow, GateRow } from '@/server/contract/console/counter-row';
import { durationText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { useSession } from '../live/session';
import { Button } from '../ui/controls/button';
import { Rev } from '../ui/rev';
import { driftLabel, estimateLabel, noFastValueLabel } from './counter-labels';

/** The state of the counter in its gate, beside that in MySQL. */
export function GatePanel({
  row,
  gate,
  onReconcile,
}: {
  row: CounterRow;
  gate: GateRow;
  onReconcile: () => void;
}) {
  const { may } = useSession();
  const { fast, status } = gate;
  const drift = driftLabel(row, gate);
  const hasDrift = gate.drift !== null && drift !== 'none';
  const isAway = status === 'down' || status === 'missing';
  return (
    <section aria-label="Gate" className="card gate-panel">
      <Fact label="Fast value (Redis)">
        {fast ? (
          <>
            <b className="gate-value">{exactCount(fast.value)}</b>
            <span className="text-12 text-t3">
              <Rev rev={fast.rev} />
            </span>
          </>
        ) : (
          <span className="text-t3">{noFastValueLabel(gate)}</span>
        )}
      </Fact>
      <Fact label="Durable value (MySQL)">
        <b className="gate-value">{row.value === null ? 'unknown' : exactCount(row.value)}</b>
        <span className="text-12 text-t3">
          <Rev rev={row.rev} />
        </span>
      </Fact>
      <Fact label="Drift">
        <span className={`flex items-center gap-1.5 ${hasDrift ? 'text-contended' : ''}`}>
          {hasDrift && <Icon name="alert-triangle" size={15} />}
          {fast ? <b className="gate-value">{drift}</b> : <span className="text-t3">{drift}</span>}
        </span>
        {hasDrift && <span className="text-12 text-t2">Corrected automatically within 10 s</span>}
      </Fact>
      <div className="gate-note">
        <p className={`flex min-w-0 items-center gap-2 ${isAway ? 'text-unknown' : 'text-t2'}`}>
          {isAway && <Icon name="alert-triangle" size={15} />}
          <span className="min-w-0">{statusText(gate)}</span>
        </p>
        {may('operator') && (status === 'fresh' || status === 'empty') && row.isKnown && (
          <Button onClick={onReconcile}>Reconcile now…</Button>
        )}
      </div>
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0 p-4">
      <p className="text-12 text-t2">{label}</p>
      <div className="flex flex-wrap items-baseline gap-x-2">{children}</div>
    </div>
  );
}

function statusText(gate: GateRow): string {
  const name = `Gate “${gate.id}”`;
  switch (gate.status) {
    case 'fresh': {
      const left = estimateLabel(gate);
      const confirmed = `confirmed by MySQL ${durationText(gate.confirmedMsAgo ?? 0)} ago`;
      return `${name}: ${confirmed}${left === '' ? '' : `; ${left}`}.`;
    }
    case 'empty':
      return (
        `${name} has no recent value. It loads one at the next change; ` +
        'until then MySQL decides.'
      );
    case 'starting':
      return (
        `${name} was cleared or restarted. It refuses nothing for ` +
        `${durationText(gate.readyInMs)}; MySQL decides every change.`
      );
    case 'down': {
      const { refusal } = gate;
      const fault = refusal ? `rejects requests. ${refusal}` : 'is not responding.';
      return `${name} ${fault} MySQL decides every change.`;
    }
    case 'missing':
      return `${name} is not configured on this server. MySQL decides every change.`;
  }
}
