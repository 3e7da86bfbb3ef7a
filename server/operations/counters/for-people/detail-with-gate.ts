import type { CounterDetail, CounterRow, GateRow } from '../../../contract/console/counter-row';
import { driftOf, estimatedValues, type GateState } from '../../../core/counter/counter-gate';
import type { CounterGate } from '../../../engine/gate/counter-gate';
import type { RecordKey } from '../../../storage/record-store';
import type { OperationContext } from '../../operation-context';

type Look = Awaited<ReturnType<CounterGate['look']>>;

/** A counter just read from its backend, with the values that the gate in front of it has. */
export async function detailWithGate(
  { runtime }: OperationContext,
  { namespace, name }: RecordKey,
): Promise<CounterDetail> {
  const { counters } = runtime.projection;
  const backend = (await runtime.namespaces.get(namespace))?.backend;
  const gateId = runtime.namespaces.policyOf(namespace).gate;
  if (gateId === null || backend === undefined) {
    return { ...(await counters.detail(namespace, name)), gate: null };
  }
  const gate = runtime.gates.of(backend, namespace);
  if (!gate) {
    const detail = await counters.detail(namespace, name);
    return { ...detail, gate: gateRow(gateId, 'missing') };
  }
  const key: RecordKey = { namespace, name };
  const before = await gate.look(key);
  const detail = await counters.detail(namespace, name);
  const isSame = before?.state?.rev === detail.row.rev;
  const after = before === null || isSame ? before : await gate.look(key);
  return { ...detail, gate: compared(gate, detail.row, before, after) };
}

function compared(gate: CounterGate, row: CounterRow, before: Look, after: Look): GateRow {
  const { id, client } = gate;
  if (!after) {
    const { refusal } = client;
    return { ...gateRow(id, 'down'), ...(refusal !== null && { refusal }) };
  }
  const { state, underWay, asOf, now } = after;
  if (!state) {
    const { readyInMs } = client;
    return { ...gateRow(id, readyInMs > 0 ? 'starting' : 'empty'), readyInMs };
  }
  const durable: GateState | null =
    row.isKnown && row.value !== null ? { ...row, value: row.value } : null;
  return {
    id,
    status: 'fresh',
    fast: state,
    estimate: estimatedValues({ state, underWay }),
    drift: durable && driftOf(before?.state ?? null, durable, state, underWay),
    confirmedMsAgo: Math.max(0, now - asOf),
    readyInMs: 0,
  };
}

function gateRow(id: string, status: GateRow['status']): GateRow {
  const nothing = { fast: null, estimate: null, drift: null, confirmedMsAgo: null };
  return { id, status, ...nothing, readyInMs: 0 };
}
