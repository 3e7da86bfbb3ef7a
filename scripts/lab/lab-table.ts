import type { LabRow } from '@/server/contract/console/lab/lab-race';

const COLUMNS: { title: string; cell: (row: LabRow) => string; isText?: true }[] = [
  { title: 'no.', cell: ({ number }) => number },
  { title: 'strategy', cell: ({ title }) => title, isText: true },
  { title: 'sold', cell: ({ sold }) => figure(sold) },
  { title: 'stock', cell: ({ stock }) => figure(stock) },
  { title: 'oversold', cell: ({ oversold }) => figure(oversold) },
  { title: 'ops/s', cell: ({ opsPerSecond }) => figure(opsPerSecond) },
  { title: 'p50 ms', cell: ({ p50Ms }) => p50Ms.toFixed(1) },
  { title: 'p99 ms', cell: ({ p99Ms }) => p99Ms.toFixed(1) },
  { title: 'conflicts', cell: ({ conflicts }) => figure(conflicts) },
  { title: 'deadlocks', cell: ({ deadlocks }) => figure(deadlocks) },
  { title: 'retries', cell: ({ retries }) => figure(retries) },
  { title: 'verdict', cell: ({ verdict }) => verdict, isText: true },
  { title: 'on', cell: ({ servers }) => servers, isText: true },
];

/** The result of a race, one line for each strategy, with its reason, if any, below. */
export function labTable(rows: LabRow[]): string {
  const lines = [
    COLUMNS.map(({ title }) => title),
    ...rows.map((row) => COLUMNS.map(({ cell }) => cell(row))),
  ];
  const widths = COLUMNS.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const laid = lines.map((line) =>
    line
      .map((text, i) => {
        const width = widths[i] ?? 0;
        return COLUMNS[i]?.isText ? text.padEnd(width) : text.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  const [head = '', ...body] = laid;
  const reasons = rows.map(({ reason }) => (reason ? [`     ${reason}`] : []));
  return [
    head,
    '-'.repeat(head.length),
    ...body.flatMap((line, i) => [line, ...(reasons[i] ?? [])]),
  ].join('\n');
}

const figure = (value: number) => value.toLocaleString('en');
