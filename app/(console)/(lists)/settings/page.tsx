import type { Metadata } from 'next';
import { type SettingsSection, SettingsView } from '@/components/settings/settings-view';
import { openConsole } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';

export const metadata: Metadata = { title: 'Settings' };

const SECTIONS: SettingsSection[] = ['account', 'keys', 'people'];

export default async function SettingsPage({ searchParams }: { searchParams: SearchParams }) {
  await openConsole();
  const wanted = (await searchParamsOf(searchParams)).get('section');
  const section = SECTIONS.find((known) => known === wanted) ?? 'account';
  return <SettingsView section={section} now={Date.now()} />;
}
