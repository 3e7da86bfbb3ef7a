import type { Metadata } from 'next';
import { HoldersView } from '@/components/holders/holders-view';
import { openConsole } from '../../../console-api';

export const metadata: Metadata = { title: 'Holders' };

export default async function HoldersPage() {
  const { api } = await openConsole();
  return <HoldersView initial={await api.holders.list.query()} />;
}
