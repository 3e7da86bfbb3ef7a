'use client';

import type { AuditEntry } from '@/server/contract/console/lock-row';
import { Icon } from '../icons/icon';
import { SetChip } from '../locks/list/filter-bar';
import { Menu, MenuChoice } from '../ui/controls/menu';
import { actWords, OUTCOMES } from './audit-labels';
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
        <SetChip word="act" value={actWords(query.act)} onClear={() => onQuery({ act: null })} />
      ) : (
        <Menu trigger={<OpenChip word="act" />}>
          {acts.map((act) => (
            <MenuChoice key={act} chosen={false} onSelect={() => onQuery({ act })}>
              {actWords(act)}
            </MenuChoice>
          ))}
        </Menu>
      )}
      {query.outcome ? (
        <SetChip
          word="outcome"
          value={OUTCOMES[query.outcome].word}
          onClear={() => onQuery({ outcome: null })}
        />
      ) : (
        <Menu trigger={<OpenChip word="outcome" />}>
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

function OpenChip({ word, ...rest }: { word: string }) {
  return (
    <button type="button" className="chip shrink-0" {...rest}>
      {word} <b>any</b>
      <Icon name="chevron-down" size={13} className="text-t3" />
    </button>
  );
}
