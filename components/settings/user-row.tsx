'use client';

import type { Role } from '@/server/contract/console/console-terms';
import { visibleText } from '../format/visible-name';
import { Icon } from '../icons/icon';
import { useSession } from '../live/session';
import { Button } from '../ui/controls/button';
import { Menu, MenuItem } from '../ui/controls/menu';
import { Instant } from '../ui/instant';
import { VisibleText } from '../ui/visible-text';
import { ROLE_LABELS } from './role-field';

export interface User {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  disabledAt: number | null;
}

/** One person, and what can be changed about them. */
export function UserRow({
  person,
  now,
  onAct,
}: {
  person: User;
  now: number;
  onAct: (what: 'role' | 'password' | 'disable' | 'enable') => void;
}) {
  const { account } = useSession();
  const isDisabled = person.disabledAt !== null;
  const isSelf = person.id === account.id;
  return (
    <tr>
      <td data-cell="main" className={isDisabled ? 'text-t3' : ''}>
        <VisibleText text={person.name} />
        {isSelf && <span className="font-[450] text-t3"> (you)</span>}
      </td>
      <td className="text-t2">
        {ROLE_LABELS[person.role].word}
        {isDisabled && <span className="text-t3">, disabled</span>}
      </td>
      <td className="text-t2">
        <Instant at={person.createdAt} now={now} />
      </td>
      <td data-cell="act" className="text-right">
        <Menu
          trigger={
            <Button size="small" aria-label={`Change ${visibleText(person.name)}`}>
              Change
              <Icon name="chevron-down" size={13} />
            </Button>
          }
        >
          <MenuItem onSelect={() => onAct('role')}>Role…</MenuItem>
          {!isSelf && <MenuItem onSelect={() => onAct('password')}>New password…</MenuItem>}
          <MenuItem onSelect={() => onAct(isDisabled ? 'enable' : 'disable')}>
            {isDisabled ? 'Enable…' : 'Disable…'}
          </MenuItem>
        </Menu>
      </td>
    </tr>
  );
}
