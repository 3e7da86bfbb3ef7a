'use client';

import type { AuditEntry } from '@/server/contract/console/lock-row';
import { Icon } from '../icons/icon';
import { FilterChip } from '../locks/list/filter-bar';
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
          word="act"
          value={actionLabel(query.act)}
          onClear={() => onQuery({ act: null })}
        />
      ) : (
        <Menu trigger={<MenuChip word="act" />}>
          {acts.map((act) => (
            <MenuChoice key={act} chosen={false} onSelect={() => onQuery({ act })}>
              {actionLabel(act)}
            </MenuChoice>
          ))}
        </Menu>
      )}
      {query.outcome ? (
        <FilterChip
          word="outcome"
          value={OUTCOMES[query.outcome].word}
          onClear={() => onQuery({ outcome: null })}
        />
      ) : (
        <Menu trigger={<MenuChip word="outcome" />}>
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

function MenuChip({ word, ...rest }: { word: string }) {
  return (
    <button type="button" className="chip shrink-0" {...rest}>
      {word} <b>any</b>
      <Icon name="chevron-down" size={13} className="text-t3" />
    </button>
  );
}
