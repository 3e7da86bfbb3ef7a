'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../../icons/icon';
import { useTRPC } from '../../live/trpc';
import { useReadFailure } from '../../namespaces/use-namespaces';
import { lazyDialog } from '../../navigation/lazy-dialog';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/controls/menu';
import { type ListQuery, readListQuery, rowsKey } from './list-query';
import { ViewTab } from './view-tabs';

const SaveViewDialog = lazyDialog(() => import('./view-dialogs').then((all) => all.SaveViewDialog));
const DeleteViewDialog = lazyDialog(() =>
  import('./view-dialogs').then((all) => all.DeleteViewDialog),
);

/** The user's saved views: a tab for each, and a menu that adds and deletes views. */
export function SavedViews({
  query,
  onQuery,
}: {
  /** With the view that is shown. */
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [deleting, setDeleting] = useState<{ id: string; name: string } | null>(null);
  const { data, error } = useQuery(trpc.views.list.queryOptions());
  const failure = useReadFailure(data, error);
  const views = data ?? [];
  const readAgain = () => queries.invalidateQueries({ queryKey: trpc.views.list.queryKey() });
  return (
    <>
      {views.map((view) => {
        const kept = readListQuery(new URLSearchParams(view.query));
        return (
          <ViewTab
            key={view.id}
            isShown={rowsKey(kept) === rowsKey(query)}
            onShow={() => onQuery({ ...kept, peek: query.peek })}
          >
            {visibleText(view.name)}
          </ViewTab>
        );
      })}
      <Menu
        trigger={
          <button type="button" className="chip shrink-0" aria-label="Saved views">
            <Icon name="plus" size={14} />
          </button>
        }
      >
        <MenuItem icon="plus" onSelect={() => setSaving(true)}>
          Save this view…
        </MenuItem>
        {(views.length > 0 || failure) && <MenuSeparator />}
        {failure && <MenuLabel>Saved views could not be loaded</MenuLabel>}
        {views.map((view) => (
          <MenuItem key={view.id} icon="close" onSelect={() => setDeleting(view)}>
            Delete “{visibleText(view.name)}”…
          </MenuItem>
        ))}
      </Menu>
      {isSaving && (
        <SaveViewDialog
          query={query}
          onSaved={() => {
            void readAgain();
            setSaving(false);
          }}
          onClose={() => setSaving(false)}
        />
      )}
      {deleting && (
        <DeleteViewDialog
          view={deleting}
          onDeleted={() => {
            void readAgain();
            setDeleting(null);
          }}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}
