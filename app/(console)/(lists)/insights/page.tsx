import type { Metadata } from 'next';
import { readRange } from '@/components/charts/chart-range';
import { InsightsView } from '@/components/insights/insights-view';
import { openConsole, readOrNull } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';
import { pastPage } from '../../../past-page';

export const metadata: Metadata = { title: 'Insights' };

export default async function InsightsPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const params = await searchParamsOf(searchParams);
  const range = readRange(params);
  const past = await pastPage(params, '/insights', async (at) => {
    const [overview, incidents] = await Promise.all([
      api.insights.overview.query({ range, at }),
      api.insights.incidents.query({ limit: 30, until: at }),
    ]);
    return <InsightsView key={at} initial={overview} incidents={incidents} />;
  });
  if (past) return past;
  const [overview, incidents] = await Promise.all([
    readOrNull(api.insights.overview.query({ range })),
    readOrNull(api.insights.incidents.query({ limit: 30 })),
  ]);
  return <InsightsView initial={overview} incidents={incidents} />;
}
