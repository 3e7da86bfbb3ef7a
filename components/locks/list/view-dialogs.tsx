'use client';

import { useState } from 'react';
import { visibleText } from '@/server/core/format/visible-text';
import { useTRPCClient } from '../../live/trpc';
import { Button } from '../../ui/controls/button';
import { Field } from '../../ui/controls/field';
import { FormDialog } from '../../ui/controls/form-dialog';
import { type ListQuery, listUrl, queryOfView, rowsKey, type SavedView } from './list-query';
import { viewText } from './view-text';

const queryText = (query: ListQuery) => listUrl({ ...query, peek: null }).split('?')[1] ?? '';

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
      onSubmit={async (form, send) => {
        const name = String(form.get('name'));
        await send(client.views.save.mutate({ name, query: queryText(query) }));
        onSaved();
      }}
    >
      <Field label="Name" name="name" required maxLength={40} autoComplete="off" />
    </FormDialog>
  );
}

/** Renames a saved view, and can give it the filters and the order that the list has now. */
export function EditViewDialog({
  view,
  query,
  isReplacing,
  onSaved,
  onDelete,
  onClose,
}: {
  /** The view as stored now. */
  view: SavedView;
  /** What the list shows. */
  query: ListQuery;
  /** Whether replacing the filters is chosen at first. */
  isReplacing: boolean;
  onSaved: () => void;
  onDelete: () => void;
  onClose: () => void;
}) {
  const client = useTRPCClient();
  const [seen, setSeen] = useState(view);
  const { id, name } = seen;
  const hasChanged = view.name !== name || view.query !== seen.query;
  const isShown = rowsKey(queryOfView(seen)) === rowsKey(query);
  return (
    <FormDialog
      title={`Edit the view “${visibleText(name)}”`}
      action="Save"
      changed={
        hasChanged
          ? {
              text:
                'The view changed since you opened this. Now: ' +
                `“${visibleText(view.name)}”, ${viewText(queryOfView(view))}.`,
              onUse: () => setSeen(view),
            }
          : null
      }
      other={
        <Button size="large" tone="danger-word" onClick={onDelete}>
          Delete…
        </Button>
      }
      onClose={onClose}
      onSubmit={async (form, send) => {
        const change = {
          id,
          name: String(form.get('name')),
          query: form.get('replaces') ? queryText(query) : seen.query,
          seen: { name, query: seen.query },
        };
        await send(client.views.change.mutate(change));
        onSaved();
      }}
    >
      <Field
        key={name}
        label="Name"
        name="name"
        required
        maxLength={40}
        autoComplete="off"
        defaultValue={name}
      />
      {isShown ? (
        <p className="text-t2">It shows: {viewText(query)}.</p>
      ) : (
        <label className="flex gap-2.5">
          <input
            type="checkbox"
            name="replaces"
            defaultChecked={isReplacing}
            className="mt-0.5 size-4 shrink-0 accent-[var(--acc)]"
          />
          <span className="min-w-0">
            Replace its filters and order with those of the list
            <span className="block text-12 text-t2 [overflow-wrap:anywhere]">
              Saved: {viewText(queryOfView(seen))}
              <br />
              List: {viewText(query)}
            </span>
          </span>
        </label>
      )}
    </FormDialog>
  );
}

/** Deletes a saved view. */
export function DeleteViewDialog({
  view: { id, name },
  onDeleted,
  onClose,
}: {
  view: Pick<SavedView, 'id' | 'name'>;
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
      onSubmit={async (_, send) => {
        await send(client.views.delete.mutate({ id }));
        onDeleted();
      }}
    />
  );
}
