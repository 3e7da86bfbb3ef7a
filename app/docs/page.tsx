import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { ApiDocs } from '@/components/docs/api-docs';
import { originOf } from '../origin-of';
import { readOpenApi } from '../read-open-api';

export const metadata: Metadata = {
  title: 'API',
  description: 'Every procedure of the Lockyard service API, with inputs, outcomes and refusals.',
};

/** For everybody: it says nothing of this server but its address. */
export default async function DocsPage() {
  const asked = await headers();
  return <ApiDocs document={await readOpenApi(asked)} origin={originOf(asked)} />;
}
