'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../../icons/icon';
import { useTRPC, useTRPCClient } from '../../live/trpc';
import { Menu, MenuItem, MenuSeparator } from '../../ui/controls/menu';
import { type ListQuery, readListQuery, rowsKey } from './list-query';
import { ViewTab } from './view-tabs';

const SaveViewDialog = dynamic(() =>
  import('./save-view-dialog').then((all) => all.SaveViewDialog),
);

/** The views that the person keeps: each a tab, and a menu that adds and deletes. */
export function SavedViews({
  query,
  onQuery,
}: {
  /** With the view that is shown. */
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const { data: views = [] } = useQuery(trpc.views.list.queryOptions());
  const readAgain = () => queries.invalidateQueries({ queryKey: trpc.views.list.queryKey() });
  const remove = async (id: string) => {
    await client.views.delete.mutate({ id }).catch(() => undefined);
    await readAgain();
  };
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
        {views.length > 0 && <MenuSeparator />}
        {views.map(({ id, name }) => (
          <MenuItem key={id} icon="close" onSelect={() => void remove(id)}>
            Delete “{visibleText(name)}”
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
    </>
  );
}
