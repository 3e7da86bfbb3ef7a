'use client';

import type { Role } from '@/server/contract/console/console-terms';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../../icons/icon';
import { useSession } from '../../live/session';
import { Button } from '../../ui/controls/button';
import { Menu, MenuItem } from '../../ui/controls/menu';
import { Instant } from '../../ui/instant';
import { VisibleText } from '../../ui/visible-text';
import { ROLE_LABELS } from './role-field';

/** A user as the table of users shows it. */
export interface ListedUser {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  disabledAt: number | null;
  sessions: number;
}

/** A change of a user that an admin makes. */
export type UserChange = 'role' | 'password' | 'signOut' | 'disable' | 'enable';

/** A user in the table, with a menu of the changes that are possible. */
export function UserRow({
  user,
  now,
  onChange,
}: {
  user: ListedUser;
  now: number;
  onChange: (change: UserChange) => void;
}) {
  const { account } = useSession();
  const isDisabled = user.disabledAt !== null;
  const isSelf = user.id === account.id;
  return (
    <tr>
      <td data-cell="main" className={isDisabled ? 'text-t3' : ''}>
        <VisibleText text={user.name} />
        {isSelf && <span className="font-[450] text-t3"> (you)</span>}
      </td>
      <td className="text-t2">
        {ROLE_LABELS[user.role].label}
        {isDisabled && <span className="text-t3">, disabled</span>}
      </td>
      <td className="text-t2">
        {user.sessions > 0 ? (
          <>
            <span className="max-md:hidden">{exactCount(user.sessions)}</span>
            <span className="md:hidden">{plural(user.sessions, 'open session')}</span>
          </>
        ) : (
          <span className="hidden text-t3 md:inline">–</span>
        )}
      </td>
      <td className="text-t2">
        <span className="md:hidden">created </span>
        <Instant at={user.createdAt} now={now} />
      </td>
      <td data-cell="act" className="text-right">
        <Menu
          trigger={
            <Button size="small" aria-label={`Edit ${visibleText(user.name)}`}>
              Edit
              <Icon name="chevron-down" size={13} />
            </Button>
          }
        >
          <MenuItem onSelect={() => onChange('role')}>Change role…</MenuItem>
          {!isSelf && <MenuItem onSelect={() => onChange('password')}>Reset password…</MenuItem>}
          {!isSelf && user.sessions > 0 && (
            <MenuItem onSelect={() => onChange('signOut')}>Sign out…</MenuItem>
          )}
          <MenuItem onSelect={() => onChange(isDisabled ? 'enable' : 'disable')}>
            {isDisabled ? 'Enable…' : 'Disable…'}
          </MenuItem>
        </Menu>
      </td>
    </tr>
  );
}
