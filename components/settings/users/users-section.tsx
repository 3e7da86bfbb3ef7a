'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refetchEvery, useTRPC } from '../../live/trpc';
import { Button } from '../../ui/controls/button';
import { SectionFrame } from '../section-frame';
import { SectionTable } from '../section-table';
import { AddUserDialog } from './add-user-dialog';
import { ChangeUserDialog } from './change-user-dialog';
import { type ListedUser, type UserChange, UserRow } from './user-row';

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
  const [isAdding, setAdding] = useState(false);
  const [changing, setChanging] = useState<{ change: UserChange; user: ListedUser } | null>(null);
  const close = () => {
    setAdding(false);
    setChanging(null);
  };
  const finish = () => {
    void queries.invalidateQueries({ queryKey: trpc.people.list.queryKey() });
    close();
  };
  return (
    <SectionFrame
      title="Users"
      intro="Viewers read, operators act on locks, admins manage users, keys and namespaces."
      end={
        <Button tone="accent" onClick={() => setAdding(true)}>
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
            onChange={(change) => setChanging({ change, user })}
          />
        )}
      </SectionTable>
      {isAdding && <AddUserDialog onDone={finish} onClose={close} />}
      {changing && <ChangeUserDialog {...changing} onDone={finish} onClose={close} />}
    </SectionFrame>
  );
}
