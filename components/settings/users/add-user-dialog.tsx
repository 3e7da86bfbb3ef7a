'use client';

import { useTRPCClient } from '../../live/trpc';
import { Field } from '../../ui/controls/field';
import { FormDialog } from '../../ui/controls/form-dialog';
import { NewPasswordField } from '../../ui/controls/new-password-field';
import { chosenRole, RoleField } from './role-field';

/** Adds a user, with a first password. */
export function AddUserDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const { people } = useTRPCClient();
  const add = (form: FormData) =>
    people.create.mutate({
      name: String(form.get('name')).trim(),
      role: chosenRole(form),
      password: String(form.get('password')),
    });
  return (
    <FormDialog
      title="Add user"
      action="Add user"
      onSubmit={(form, send) => send(add(form)).then(onDone)}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={64} autoComplete="off" />
      <RoleField chosen="operator" />
      <NewPasswordField label="Initial password" name="password" />
    </FormDialog>
  );
}
