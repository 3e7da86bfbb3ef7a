'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../../icons/icon';
import { useTRPC } from '../../live/trpc';
import { useReadFailure } from '../../namespaces/use-namespaces';
import { lazyDialog } from '../../navigation/lazy-dialog';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/controls/menu';
import { isFiltered, type ListQuery, queryOfView, rowsKey, type SavedView } from './list-query';
import { ViewTab } from './view-tabs';

const SaveViewDialog = lazyDialog(() => import('./view-dialogs').then((all) => all.SaveViewDialog));
const EditViewDialog = lazyDialog(() => import('./view-dialogs').then((all) => all.EditViewDialog));
const DeleteViewDialog = lazyDialog(() =>
  import('./view-dialogs').then((all) => all.DeleteViewDialog),
);

type OpenDialog =
  | { what: 'save' }
  | { what: 'edit'; view: SavedView; isReplacing: boolean }
  | { what: 'delete'; view: SavedView };

/** The user's saved views: a tab for each, and a menu that adds, changes and deletes views. */
export function SavedViews({
  query,
  onQuery,
}: {
  /** What the list shows now. */
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [openedId, setOpenedId] = useState<string | null>(null);
  const { data, error } = useQuery(trpc.views.list.queryOptions());
  const failure = useReadFailure(data, error);
  const views = data ?? [];
  const key = rowsKey(query);
  const shown = views.find((view) => rowsKey(queryOfView(view)) === key);
  const lastId = shown?.id ?? (isFiltered(query) ? openedId : null);
  if (lastId !== openedId) setOpenedId(lastId);
  // The view that was shown last, whose filters or order the user has changed since.
  const changed = shown ? undefined : views.find(({ id }) => id === lastId);
  const edit = (view: SavedView, isReplacing: boolean) =>
    setDialog({ what: 'edit', view, isReplacing });
  const close = () => {
    void queries.invalidateQueries({ queryKey: trpc.views.list.queryKey() });
    setDialog(null);
  };
  return (
    <>
      {views.map((view) => (
        <ViewTab
          key={view.id}
          isShown={view === shown}
          onShow={() => onQuery({ ...queryOfView(view), peek: query.peek })}
        >
          {visibleText(view.name)}
        </ViewTab>
      ))}
      <Menu
        trigger={
          <button type="button" className="chip shrink-0" aria-label="Saved views">
            <Icon name="plus" size={14} />
          </button>
        }
      >
        {changed && (
          <MenuItem icon="check" onSelect={() => edit(changed, true)}>
            Save changes to “{visibleText(changed.name)}”…
          </MenuItem>
        )}
        <MenuItem icon="plus" onSelect={() => setDialog({ what: 'save' })}>
          Save this view…
        </MenuItem>
        {(views.length > 0 || failure) && <MenuSeparator />}
        {failure && <MenuLabel>Saved views could not be loaded</MenuLabel>}
        {views.map((view) => (
          <MenuItem key={view.id} icon="pencil" onSelect={() => edit(view, false)}>
            Edit “{visibleText(view.name)}”…
          </MenuItem>
        ))}
      </Menu>
      {dialog?.what === 'save' && <SaveViewDialog query={query} onSaved={close} onClose={close} />}
      {dialog?.what === 'edit' && (
        <EditViewDialog
          view={views.find(({ id }) => id === dialog.view.id) ?? dialog.view}
          query={query}
          isReplacing={dialog.isReplacing}
          onSaved={close}
          onDelete={() => setDialog({ what: 'delete', view: dialog.view })}
          onClose={close}
        />
      )}
      {dialog?.what === 'delete' && (
        <DeleteViewDialog view={dialog.view} onDeleted={close} onClose={close} />
      )}
    </>
  );
}
