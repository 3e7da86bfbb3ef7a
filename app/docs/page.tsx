import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { ApiDocs } from '@/components/docs/api-docs';
import { openApiDocument } from '@/server/trpc/openapi-document';
import { originOf } from '../origin-of';

export const metadata: Metadata = {
  title: 'API',
  description: 'Every procedure of the Lockyard service API, with inputs, outcomes and refusals.',
};

const document = openApiDocument();

/** For everybody: it says nothing of this server but its address. */
export default async function DocsPage() {
  return <ApiDocs document={document} origin={originOf(await headers())} />;
}
