import type { Metadata } from 'next';
import { auditInput, readAuditQuery } from '@/components/audit/audit-query';
import { AuditView } from '@/components/audit/audit-view';
import { openConsole, readOrNull } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';

export const metadata: Metadata = { title: 'Audit' };

export default async function AuditPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const query = readAuditQuery(await searchParamsOf(searchParams));
  const page = await readOrNull(api.audit.list.query(auditInput(query, null)));
  return <AuditView initial={page} initialQuery={query} now={Date.now()} />;
}
