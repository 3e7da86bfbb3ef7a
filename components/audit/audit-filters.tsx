'use client';

import type { AuditEntry } from '@/server/contract/console/lock-row';
import { FilterChip, MenuChip } from '../ui/controls/filter-chip';
import { Menu, MenuChoice } from '../ui/controls/menu';
import { actionLabel, OUTCOMES } from './audit-labels';
import type { AuditQuery } from './audit-query';

/** What of the log is shown. */
export function AuditFilters({
  acts,
  query,
  onQuery,
}: {
  acts: string[];
  query: AuditQuery;
  onQuery: (part: Partial<AuditQuery>) => void;
}) {
  return (
    <>
      {query.act ? (
        <FilterChip
          label="action"
          value={actionLabel(query.act)}
          onClear={() => onQuery({ act: null })}
        />
      ) : (
        <Menu trigger={<MenuChip label="action" />}>
          {acts.map((act) => (
            <MenuChoice key={act} chosen={false} onSelect={() => onQuery({ act })}>
              {actionLabel(act)}
            </MenuChoice>
          ))}
        </Menu>
      )}
      {query.outcome ? (
        <FilterChip
          label="outcome"
          value={OUTCOMES[query.outcome].word}
          onClear={() => onQuery({ outcome: null })}
        />
      ) : (
        <Menu trigger={<MenuChip label="outcome" />}>
          {Object.entries(OUTCOMES).map(([outcome, { word }]) => (
            <MenuChoice
              key={outcome}
              chosen={false}
              onSelect={() => onQuery({ outcome: outcome as AuditEntry['outcome'] })}
            >
              {word}
            </MenuChoice>
          ))}
        </Menu>
      )}
    </>
  );
}
