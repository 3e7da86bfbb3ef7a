import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { ApiDocs } from '@/components/docs/api-docs';
import { readOpenApi } from '../console-api';
import { originOf } from '../page-request';

export const metadata: Metadata = {
  title: 'API reference',
  description: 'Every procedure of the Lockyard service API, with inputs, outcomes and errors.',
};

/** Public: it reveals nothing of this server but its address. */
export default async function DocsPage() {
  return <ApiDocs document={await readOpenApi()} origin={originOf(await headers())} />;
}
