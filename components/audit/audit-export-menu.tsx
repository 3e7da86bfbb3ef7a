'use client';

import { useState } from 'react';
import type { AuditEntry } from '@/server/contract/console/audit-entry';
import { exactCount } from '@/server/core/format/numbers';
import { problemOf } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Menu, MenuItem } from '../ui/controls/menu';
import { useStop } from '../ui/controls/use-stop';
import { auditCsv, auditJsonLines } from './audit-export';
import { type AuditQuery, auditInput } from './audit-query';

/** The limit of an export: the newest entries that match. */
const ENTRIES_MAX = 10_000;

const PAGE = 200;

const FORMATS = {
  csv: { label: 'CSV', type: 'text/csv', make: auditCsv, ending: 'csv' },
  jsonLines: {
    label: 'JSON lines',
    type: 'application/jsonl',
    make: auditJsonLines,
    ending: 'jsonl',
  },
} as const;

type Format = (typeof FORMATS)[keyof typeof FORMATS];

/** Saves the entries that match the filter as a file, at most 10,000. */
export function AuditExportMenu({ query }: { query: AuditQuery }) {
  const client = useTRPCClient();
  const { isStopped } = useStop();
  const [isBusy, setBusy] = useState(false);
  const [state, setState] = useState('');
  const save = async ({ label, type, make, ending }: Format) => {
    const entries: AuditEntry[] = [];
    let before: number | null = null;
    setBusy(true);
    try {
      do {
        setState(`Exporting ${label}… ${exactCount(entries.length)}`);
        const page: { rows: AuditEntry[]; older: number | null } = await client.audit.list.query({
          ...auditInput(query, before),
          limit: PAGE,
        });
        entries.push(...page.rows);
        before = page.older;
      } while (before !== null && entries.length < ENTRIES_MAX && !isStopped.current);
      if (isStopped.current) return;
      download(make(entries), type, `audit.${ending}`);
      const isCut = before !== null;
      setState(isCut ? `Exported the newest ${exactCount(entries.length)}` : '');
    } catch (error) {
      setState(`Export failed. ${problemOf(error).text}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="flex items-center gap-2">
      <span role="status" className={state ? 'text-12 text-t2' : 'sr-only'}>
        {state}
      </span>
      <Menu trigger={<Button>Export</Button>}>
        {Object.values(FORMATS).map((format) => (
          <MenuItem
            key={format.ending}
            icon="download"
            isDisabled={isBusy}
            onSelect={() => void save(format)}
          >
            {format.label}
          </MenuItem>
        ))}
      </Menu>
    </span>
  );
}

function download(text: string, type: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
