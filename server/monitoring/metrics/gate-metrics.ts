import type { CounterGates } from '../../engine/gate/counter-gates';
import type { MetricFamily } from './metrics';

/** What this process has observed of the gates that it uses. */
export function gateMetrics(gates: CounterGates): MetricFamily[] {
  const used = gates.used().map(({ backend, gate: { id, client } }) => ({
    labels: { gate: id, backend },
    client,
  }));
  if (used.length === 0) return [];
  const family = (
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    of: (client: (typeof used)[number]['client']) => number,
  ): MetricFamily => {
    const samples = used.map(({ labels, client }) => ({ labels, value: of(client) }));
    return { name: `lockyard_gate_${name}`, type, help, samples };
  };
  return [
    family('up', 'gauge', 'Whether the gate responds to this process: 1 or 0.', (client) =>
      Number(client.isUp),
    ),
    family(
      'refusals_total',
      'counter',
      'Counter steps that the gate refused.',
      (client) => client.tally.refusals,
    ),
    family(
      'passes_total',
      'counter',
      'Counter commands that were passed on to MySQL.',
      (client) => client.tally.passes,
    ),
    family(
      'failures_total',
      'counter',
      'Exchanges that the gate did not answer in time.',
      (client) => client.tally.failures,
    ),
    family(
      'corrections_total',
      'counter',
      'Values or bounds at the gate that a read of MySQL corrected.',
      (client) => client.tally.corrections,
    ),
  ];
}
