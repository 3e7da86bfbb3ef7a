'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PASSWORD_MIN_CHARS, type Role } from '@/server/contract/console/console-terms';
import { visibleText } from '../format/visible-name';
import { Icon } from '../icons/icon';
import { problemOf } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { Menu, MenuItem } from '../ui/controls/menu';
import { Instant } from '../ui/instant';
import { ProblemNote } from '../ui/problem-note';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { VisibleText } from '../ui/visible-text';
import { ROLE_LABELS, RoleField } from './role-field';
import { SectionFrame } from './section-frame';

interface User {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  disabledAt: number | null;
}

type Change = 'role' | 'password' | 'disable' | 'enable';

type OpenDialog = { what: 'create' } | { what: Change; user: User };

/** The users of the console: who may sign in, with which role. */
export function UsersSection({ now }: { now: number }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data: users, error } = useQuery(trpc.people.list.queryOptions());
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: trpc.people.list.queryKey() });
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
      {error && (
        <div className="p-3.5">
          <ProblemNote problem={problemOf(error)} title="Could not load users" />
        </div>
      )}
      {!users && !error && <RowsSkeleton />}
      {users && (
        <div className="list-in-card">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Role</th>
                <th scope="col">Created</th>
                <th scope="col" className="md:w-24">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {users.map((user) => (
                <UserRow
                  key={user.id}
                  user={user}
                  now={now}
                  onChange={(what) => setDialog({ what, user })}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {dialog && <UserDialog dialog={dialog} onDone={refresh} onClose={close} />}
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
  onDone: () => Promise<void>;
  onClose: () => void;
}) {
  const { people } = useTRPCClient();
  if (dialog.what === 'create') {
    return (
      <FormDialog
        title="Add user"
        action="Add user"
        onClose={onClose}
        onSubmit={async (form) => {
          await people.create.mutate({
            name: String(form.get('name')).trim(),
            role: String(form.get('role')) as Role,
            password: String(form.get('password')),
          });
          await onDone();
        }}
      >
        <Field label="Name" name="name" required maxLength={64} autoComplete="off" />
        <RoleField chosen="operator" />
        <PasswordField label="Initial password" />
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
          onClose={onClose}
          onSubmit={async (form) => {
            await people.setRole.mutate({ id, role: String(form.get('role')) as Role });
            await onDone();
          }}
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
          onClose={onClose}
          onSubmit={async (form) => {
            await people.resetPassword.mutate({ id, password: String(form.get('password')) });
            await onDone();
          }}
        >
          <PasswordField label="New password" />
        </FormDialog>
      );
    default: {
      const disabled = dialog.what === 'disable';
      return (
        <FormDialog
          title={disabled ? `Disable ${name}?` : `Enable ${name}?`}
          intro={
            disabled
              ? 'Their sessions end at once and they can no longer sign in. Their audit entries are kept.'
              : 'They can sign in again with their existing password and role.'
          }
          action={disabled ? 'Disable user' : 'Enable user'}
          isDangerous={disabled}
          onClose={onClose}
          onSubmit={async () => {
            await people.setDisabled.mutate({ id, disabled });
            await onDone();
          }}
        />
      );
    }
  }
}

function PasswordField({ label }: { label: string }) {
  return (
    <Field
      label={label}
      hint={`at least ${PASSWORD_MIN_CHARS} characters`}
      name="password"
      type="password"
      required
      minLength={PASSWORD_MIN_CHARS}
      maxLength={256}
      autoComplete="new-password"
    />
  );
}
