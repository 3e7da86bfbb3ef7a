import type { CounterGates } from '../../engine/gate/counter-gates';
import type { MetricFamily } from './metrics';

/** What this process has observed of the gates that it uses. */
export function gateMetrics(gates: CounterGates): MetricFamily[] {
  const used = gates.used().map(({ backend, gate: { id, line } }) => ({
    labels: { gate: id, backend },
    line,
  }));
  if (used.length === 0) return [];
  const family = (
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    of: (line: (typeof used)[number]['line']) => number,
  ): MetricFamily => {
    const samples = used.map(({ labels, line }) => ({ labels, value: of(line) }));
    return { name: `lockyard_gate_${name}`, type, help, samples };
  };
  return [
    family('up', 'gauge', 'Whether the gate responds to this process: 1 or 0.', (line) =>
      Number(line.isUp),
    ),
    family(
      'refusals_total',
      'counter',
      'Counter steps that the gate refused.',
      (line) => line.tally.refusals,
    ),
    family(
      'passes_total',
      'counter',
      'Counter commands that were passed on to MySQL.',
      (line) => line.tally.passes,
    ),
    family(
      'failures_total',
      'counter',
      'Exchanges that the gate did not answer in time.',
      (line) => line.tally.failures,
    ),
    family(
      'corrections_total',
      'counter',
      'Values or bounds at the gate that a read of MySQL corrected.',
      (line) => line.tally.corrections,
    ),
  ];
}
