'use client';

import { visibleText } from '@/server/core/format/visible-text';
import { useTRPCClient } from '../../live/trpc';
import { FormDialog } from '../../ui/controls/form-dialog';
import { NewPasswordField } from '../../ui/controls/new-password-field';
import { chosenRole, RoleField } from './role-field';
import type { ListedUser, UserChange } from './user-row';

interface Words {
  title: (name: string) => string;
  intro: string;
  action: string;
  isDangerous?: boolean;
}

const WORDS: Record<UserChange, Words> = {
  role: {
    title: (name) => `Change role of ${name}`,
    intro: 'Applies from their next request.',
    action: 'Change role',
  },
  password: {
    title: (name) => `Reset password of ${name}`,
    intro: 'Signs out all their sessions. Share the new password securely.',
    action: 'Reset password',
  },
  signOut: {
    title: (name) => `Sign out ${name}?`,
    intro: 'Ends all their sessions within 1 s. They can sign in again.',
    action: 'Sign out user',
    isDangerous: true,
  },
  disable: {
    title: (name) => `Disable ${name}?`,
    intro:
      'Their sessions end immediately and they can no longer sign in. Their audit entries are ' +
      'kept.',
    action: 'Disable user',
    isDangerous: true,
  },
  enable: {
    title: (name) => `Enable ${name}?`,
    intro: 'They can sign in again with their existing password and role.',
    action: 'Enable user',
  },
};

/** Makes one change of a user. */
export function ChangeUserDialog({
  change,
  user: { id, name, role },
  onDone,
  onClose,
}: {
  change: UserChange;
  user: ListedUser;
  onDone: () => void;
  onClose: () => void;
}) {
  const { people } = useTRPCClient();
  const { title, ...words } = WORDS[change];
  const make: Record<UserChange, (form: FormData) => Promise<unknown>> = {
    role: (form) => people.setRole.mutate({ id, role: chosenRole(form) }),
    password: (form) => people.resetPassword.mutate({ id, password: String(form.get('password')) }),
    signOut: () => people.endSessions.mutate({ id }),
    disable: () => people.setDisabled.mutate({ id, disabled: true }),
    enable: () => people.setDisabled.mutate({ id, disabled: false }),
  };
  return (
    <FormDialog
      title={title(visibleText(name))}
      {...words}
      onSubmit={(form, send) => send(make[change](form)).then(onDone)}
      onClose={onClose}
    >
      {change === 'role' && <RoleField chosen={role} />}
      {change === 'password' && <NewPasswordField label="New password" name="password" />}
    </FormDialog>
  );
}
