import type { Metadata } from 'next';
import { type SettingsSection, SettingsView } from '@/components/settings/settings-view';
import { openConsole } from '../../../open-console';
import { type SearchParams, searchParamsOf } from '../../../search-params';

export const metadata: Metadata = { title: 'Settings' };

const SECTIONS: SettingsSection[] = ['account', 'keys', 'people'];

export default async function SettingsPage({ searchParams }: { searchParams: SearchParams }) {
  await openConsole();
  const wanted = (await searchParamsOf(searchParams)).get('section');
  const section = SECTIONS.find((known) => known === wanted) ?? 'account';
  return <SettingsView section={section} now={Date.now()} />;
}
