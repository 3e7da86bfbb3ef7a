import type { Metadata } from 'next';
import { readRange } from '@/components/charts/chart-range';
import { InsightsView } from '@/components/insights/insights-view';
import { openConsole, readOrNull } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';

export const metadata: Metadata = { title: 'Insights' };

export default async function InsightsPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const range = readRange(await searchParamsOf(searchParams));
  const [overview, incidents] = await Promise.all([
    readOrNull(api.insights.overview.query({ range })),
    readOrNull(api.insights.incidents.query({ limit: 30 })),
  ]);
  return <InsightsView initial={overview} incidents={incidents} />;
}
