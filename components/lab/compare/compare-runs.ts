import type { LabRow } from '@/server/contract/console/lab/lab-race';
import type { LabRun } from '@/server/contract/console/lab/lab-run';
import { settingFacts } from '../run-labels';

/** One strategy in two runs; null where a run has no result of it. */
export interface ComparedRow {
  id: string;
  title: string;
  a: LabRow | null;
  b: LabRow | null;
}

/** Every strategy of two runs: in the order of the first, then those that only the second has. */
export function compareRows(a: LabRun, b: LabRun): ComparedRow[] {
  const ids = new Set([...a.rows, ...b.rows].map(({ id }) => id));
  const rowOf = (run: LabRun, id: string) => run.rows.find((row) => row.id === id) ?? null;
  return [...ids].map((id) => {
    const [before, after] = [rowOf(a, id), rowOf(b, id)];
    return { id, title: (after ?? before)?.title ?? id, a: before, b: after };
  });
}

/** The settings in which two runs differ, with both values. */
export function settingDifferences(a: LabRun, b: LabRun): [name: string, a: string, b: string][] {
  const after = new Map(settingFacts(b.settings));
  return settingFacts(a.settings).flatMap(([name, value]) => {
    const other = after.get(name) ?? '';
    return other === value ? [] : [[name, value, other]];
  });
}

/** How much larger the second figure is, such as `+12 %`; null if they cannot be compared. */
export function changeLabel(before: number | undefined, after: number | undefined): string | null {
  if (!before || after === undefined) return null;
  const percent = Math.round((after / before - 1) * 100);
  if (percent === 0) return '±0\u202f%';
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent)}\u202f%`;
}
