import type { Metadata } from 'next';
import { LabView } from '@/components/lab/lab-view';
import { openConsole, readOrNull, readSoonOrNull } from '../../console-api';
import { type SearchParams, searchParamsOf } from '../../page-request';

export const metadata: Metadata = { title: 'Lab' };

export default async function LabPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const from = (await searchParamsOf(searchParams)).get('from');
  const [runs, run] = await Promise.all([
    readOrNull(api.lab.runs.query({})),
    from === null ? null : readOrNull(api.lab.run.query({ id: from })),
  ]);
  const preflight = await readSoonOrNull(api.lab.preflight.query({}));
  const settings = run?.settings ?? null;
  return <LabView key={from} initial={runs} initialPreflight={preflight} from={settings} />;
}
