'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '@/server/contract/console/console-terms';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../icons/icon';
import { useSession } from '../live/session';
import { refetchEvery, useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { Menu, MenuItem } from '../ui/controls/menu';
import { NewPasswordField } from '../ui/controls/new-password-field';
import type { Send } from '../ui/controls/use-submit';
import { Instant } from '../ui/instant';
import { VisibleText } from '../ui/visible-text';
import { ROLE_LABELS, RoleField } from './role-field';
import { SectionFrame } from './section-frame';
import { SectionTable } from './section-table';

interface User {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  disabledAt: number | null;
  sessions: number;
}

type Change = 'role' | 'password' | 'signOut' | 'disable' | 'enable';

type OpenDialog = { what: 'create' } | { what: Change; user: User };

/** Users sign in and out meanwhile. */
const POLL_MS = 10_000;

/** The users of the console: who may sign in, with which role. */
export function UsersSection({ now }: { now: number }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data: users, error } = useQuery(
    trpc.people.list.queryOptions(undefined, {
      refetchInterval: (query) => refetchEvery(POLL_MS, query),
    }),
  );
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  const finish = () => {
    void queries.invalidateQueries({ queryKey: trpc.people.list.queryKey() });
    close();
  };
  return (
    <SectionFrame
      title="Users"
      intro="Viewers read, operators act on locks, admins manage users, keys and namespaces."
      end={
        <Button tone="accent" onClick={() => setDialog({ what: 'create' })}>
          Add user…
        </Button>
      }
    >
      <SectionTable
        of="users"
        columns={['Name', 'Role', 'Open sessions', 'Created']}
        rows={users}
        error={error}
      >
        {(user) => (
          <UserRow
            key={user.id}
            user={user}
            now={now}
            onChange={(what) => setDialog({ what, user })}
          />
        )}
      </SectionTable>
      {dialog && <UserDialog dialog={dialog} onDone={finish} onClose={close} />}
    </SectionFrame>
  );
}

function UserRow({
  user,
  now,
  onChange,
}: {
  user: User;
  now: number;
  onChange: (what: Change) => void;
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

function UserDialog({
  dialog,
  onDone,
  onClose,
}: {
  dialog: OpenDialog;
  onDone: () => void;
  onClose: () => void;
}) {
  const { people } = useTRPCClient();
  const running = (act: (form: FormData) => Promise<unknown>) => ({
    onClose,
    onSubmit: (form: FormData, send: Send) => send(act(form)).then(onDone),
  });
  if (dialog.what === 'create') {
    return (
      <FormDialog
        title="Add user"
        action="Add user"
        {...running((form) =>
          people.create.mutate({
            name: String(form.get('name')).trim(),
            role: chosenRole(form),
            password: String(form.get('password')),
          }),
        )}
      >
        <Field label="Name" name="name" required maxLength={64} autoComplete="off" />
        <RoleField chosen="operator" />
        <NewPasswordField label="Initial password" name="password" />
      </FormDialog>
    );
  }
  const { id, role } = dialog.user;
  const name = visibleText(dialog.user.name);
  switch (dialog.what) {
    case 'role':
      return (
        <FormDialog
          title={`Change role of ${name}`}
          intro="Applies to their next request."
          action="Change role"
          {...running((form) => people.setRole.mutate({ id, role: chosenRole(form) }))}
        >
          <RoleField chosen={role} />
        </FormDialog>
      );
    case 'password':
      return (
        <FormDialog
          title={`Reset password of ${name}`}
          intro="Signs out all their sessions. Share the new password securely."
          action="Reset password"
          {...running((form) =>
            people.resetPassword.mutate({ id, password: String(form.get('password')) }),
          )}
        >
          <NewPasswordField label="New password" name="password" />
        </FormDialog>
      );
    case 'signOut':
      return (
        <FormDialog
          title={`Sign out ${name}?`}
          intro="Ends all their sessions within 1 s. They can sign in again."
          action="Sign out user"
          isDangerous
          {...running(() => people.endSessions.mutate({ id }))}
        />
      );
    case 'disable':
      return (
        <FormDialog
          title={`Disable ${name}?`}
          intro={
            'Their sessions end immediately and they can no longer sign in. Their audit entries ' +
            'are kept.'
          }
          action="Disable user"
          isDangerous
          {...running(() => people.setDisabled.mutate({ id, disabled: true }))}
        />
      );
    case 'enable':
      return (
        <FormDialog
          title={`Enable ${name}?`}
          intro="They can sign in again with their existing password and role."
          action="Enable user"
          {...running(() => people.setDisabled.mutate({ id, disabled: false }))}
        />
      );
  }
}

const chosenRole = (form: FormData) => String(form.get('role')) as Role;
