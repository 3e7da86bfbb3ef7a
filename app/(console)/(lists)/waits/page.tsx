import type { Metadata } from 'next';
import { WaitsView } from '@/components/waits/waits-view';
import { openConsole, readOrNull } from '../../../console-api';

export const metadata: Metadata = { title: 'Waits' };

export default async function WaitsPage() {
  const { api } = await openConsole();
  const [graph, deadlocks] = await Promise.all([
    api.waits.graph.query(),
    readOrNull(api.waits.deadlocks.query()),
  ]);
  return <WaitsView initial={graph} initialDeadlocks={deadlocks} />;
}
