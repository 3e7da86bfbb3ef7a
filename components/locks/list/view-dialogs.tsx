'use client';

import { visibleText } from '@/server/core/format/visible-text';
import { useTRPCClient } from '../../live/trpc';
import { Field } from '../../ui/controls/field';
import { FormDialog } from '../../ui/controls/form-dialog';
import { type ListQuery, listUrl } from './list-query';

/** Asks for a name, and saves the view under it. */
export function SaveViewDialog({
  query,
  onSaved,
  onClose,
}: {
  /** The view. */
  query: ListQuery;
  onSaved: () => void;
  onClose: () => void;
}) {
  const client = useTRPCClient();
  return (
    <FormDialog
      title="Save this view"
      intro="Saves the filters and the order, only for you. To share a view, share its address."
      action="Save"
      onClose={onClose}
      onSubmit={async (form) => {
        const text = listUrl({ ...query, peek: null }).split('?')[1] ?? '';
        await client.views.save.mutate({ name: String(form.get('name')), query: text });
        onSaved();
      }}
    >
      <Field label="Name" name="name" required maxLength={40} autoComplete="off" />
    </FormDialog>
  );
}

/** Deletes a saved view. */
export function DeleteViewDialog({
  view: { id, name },
  onDeleted,
  onClose,
}: {
  view: { id: string; name: string };
  onDeleted: () => void;
  onClose: () => void;
}) {
  const client = useTRPCClient();
  return (
    <FormDialog
      title={`Delete the view “${visibleText(name)}”?`}
      intro="Only you can see this view. The locks in it are not changed."
      action="Delete view"
      isDangerous
      onClose={onClose}
      onSubmit={async () => {
        await client.views.delete.mutate({ id });
        onDeleted();
      }}
    />
  );
}
