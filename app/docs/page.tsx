import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { ApiDocs } from '@/components/docs/api-docs';
import { openApiDocument } from '@/server/contract/openapi/openapi-document';
import { originOf } from '../page-request';

export const metadata: Metadata = {
  title: 'API reference',
  description: 'Every procedure of the Lockyard service API, with inputs, outcomes and errors.',
};

const document = openApiDocument();

/** Public: it reveals nothing about this server but its address. */
export default async function DocsPage() {
  return <ApiDocs document={document} origin={originOf(await headers())} />;
}
