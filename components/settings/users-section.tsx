'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PASSWORD_MIN_CHARS, type Role } from '@/server/contract/console/console-terms';
import { visibleText } from '../format/visible-name';
import { problemOf } from '../live/problem';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { ProblemNote } from '../ui/problem-note';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { ConfirmDialog } from './confirm-dialog';
import { RoleField } from './role-field';
import { SectionFrame } from './section-frame';
import { type User, UserRow } from './user-row';

type Open = { what: 'create' } | { what: 'role' | 'password' | 'disable' | 'enable'; person: User };

/** Who may sign in, and what they may do. */
export function UsersSection({ now }: { now: number }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data: people, error } = useQuery(trpc.people.list.queryOptions());
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: trpc.people.list.queryKey() });
    close();
  };
  return (
    <SectionFrame
      title="People"
      intro="Viewers see, operators act on locks, admins manage."
      end={
        <Button tone="accent" onClick={() => setOpen({ what: 'create' })}>
          Add a person…
        </Button>
      }
    >
      {error && (
        <div className="p-3.5">
          <ProblemNote problem={problemOf(error)} title="The people were not read." />
        </div>
      )}
      {!people && !error && <RowsSkeleton />}
      {people && (
        <div className="list-in-card">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Role</th>
                <th scope="col">Since</th>
                <th scope="col" className="md:w-24">
                  <span className="sr-only">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {people.map((person) => (
                <UserRow
                  key={person.id}
                  person={person}
                  now={now}
                  onAct={(what) => setOpen({ what, person })}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {open && <UserDialog open={open} onDone={refresh} onClose={close} />}
    </SectionFrame>
  );
}

function UserDialog({
  open,
  onDone,
  onClose,
}: {
  open: Open;
  onDone: () => Promise<void>;
  onClose: () => void;
}) {
  const client = useTRPCClient();
  if (open.what === 'create') {
    return (
      <FormDialog
        title="Add a person"
        act="Add the person"
        onClose={onClose}
        onAct={async (form) => {
          await client.people.create.mutate({
            name: String(form.get('name')).trim(),
            role: String(form.get('role')) as Role,
            password: String(form.get('password')),
          });
          await onDone();
        }}
      >
        <Field label="Name" name="name" required maxLength={64} autoComplete="off" />
        <RoleField chosen="operator" />
        <PasswordField label="First password" />
      </FormDialog>
    );
  }
  const { id, role } = open.person;
  const name = visibleText(open.person.name);
  switch (open.what) {
    case 'role':
      return (
        <FormDialog
          title={`What may ${name} do?`}
          act="Give the role"
          onClose={onClose}
          onAct={async (form) => {
            await client.people.setRole.mutate({ id, role: String(form.get('role')) as Role });
            await onDone();
          }}
        >
          <RoleField chosen={role} />
        </FormDialog>
      );
    case 'password':
      return (
        <FormDialog
          title={`A new password for ${name}`}
          intro="It ends every session of theirs. Tell it to them in person."
          act="Set the password"
          onClose={onClose}
          onAct={async (form) => {
            await client.people.resetPassword.mutate({
              id,
              password: String(form.get('password')),
            });
            await onDone();
          }}
        >
          <PasswordField label="New password" />
        </FormDialog>
      );
    default: {
      const disabled = open.what === 'disable';
      return (
        <ConfirmDialog
          title={disabled ? `Disable ${name}?` : `Enable ${name} again?`}
          act={disabled ? 'Disable the account' : 'Enable the account'}
          onClose={onClose}
          onAct={async () => {
            await client.people.setDisabled.mutate({ id, disabled });
            await onDone();
          }}
        >
          {disabled
            ? 'Their sessions end at once and they cannot sign in. What they did stays in the audit log.'
            : 'They can sign in with their old password and role.'}
        </ConfirmDialog>
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
