import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CommitUnknown } from '@/db/database-failure';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { UserActor } from '../../auth/actor';
import {
  COMMAND_LINE,
  contextOf,
  insertUserActor,
  openTestRuntime,
  type TestRuntime,
  userActor,
} from '../testing/test-runtime';
import { changeSavedView } from './change-saved-view';
import { deleteSavedView } from './delete-saved-view';
import { listSavedViews } from './list-saved-views';
import { SAVED_VIEWS_MAX, saveView } from './save-view';

describe.each(TEST_DIALECTS)('saved views on %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());
  const person = async (name: string) => {
    const actor: UserActor = {
      ...userActor('viewer'),
      userId: name,
      name,
      sessionId: `of ${name}`,
    };
    await insertUserActor(runtime.database, actor);
    return contextOf(runtime, actor);
  };

  test('each user has views of their own, with unique names', async () => {
    const [ada, bea] = [await person('ada'), await person('bea')];
    await saveView(ada, { name: 'My team', query: 'namespace=shop' });
    const { id } = await saveView(ada, { name: 'Großer Lagerbestand', query: 'q=stock' });
    await saveView(bea, { name: 'My team', query: 'namespace=billing' });
    await saveView(ada, { name: 'My team', query: 'namespace=shop&sort=held' });
    expect(await listSavedViews(ada)).toEqual([
      { id, name: 'Großer Lagerbestand', query: 'q=stock' },
      { id: expect.any(String), name: 'My team', query: 'namespace=shop&sort=held' },
    ]);
    await deleteSavedView(bea, { id });
    expect(await listSavedViews(ada)).toHaveLength(2);
    await deleteSavedView(ada, { id });
    await deleteSavedView(ada, { id });
    expect((await listSavedViews(ada)).map(({ name }) => name)).toEqual(['My team']);
    expect(await listSavedViews(bea)).toHaveLength(1);
  });

  test('a view is renamed and gets another query, only as the user saw it', async () => {
    const fay = await person('fay');
    const seen = { name: 'Rota', query: 'q=rota' };
    const { id } = await saveView(fay, seen);
    await changeSavedView(fay, { id, ...seen, name: 'The rota', seen });
    const renamed = { name: 'The rota', query: 'q=rota' };
    expect(await listSavedViews(fay)).toEqual([{ id, ...renamed }]);
    const wanted = { name: 'The rota', query: 'q=rota&sort=held' };
    await changeSavedView(fay, { id, ...wanted, seen: renamed });
    expect(await listSavedViews(fay)).toEqual([{ id, ...wanted }]);

    // Repeated after an answer that was lost, it is not refused; another change is.
    await changeSavedView(fay, { id, ...wanted, seen: renamed });
    const late = changeSavedView(fay, { id, ...renamed, name: 'Shifts', seen: renamed });
    await expect(late).rejects.toMatchObject({
      reason: 'CONFLICT',
      message: 'The view "The rota" changed meanwhile; nothing was changed.',
    });
    expect(await listSavedViews(fay)).toEqual([{ id, ...wanted }]);
  });

  test('a view does not take the name of another, nor come back once it is deleted', async () => {
    const [gus, hal] = [await person('gus'), await person('hal')];
    const seen = { name: 'One', query: '' };
    const { id } = await saveView(gus, seen);
    const two = await saveView(gus, { name: 'Two', query: 'q=2' });
    const taken = changeSavedView(gus, { id, ...seen, name: 'Two', seen });
    await expect(taken).rejects.toMatchObject({
      reason: 'CONFLICT',
      message: 'Another of your views is named "Two".',
    });
    const before = [
      { id, ...seen },
      { id: two.id, name: 'Two', query: 'q=2' },
    ];
    expect(await listSavedViews(gus)).toEqual(before);
    // The same text in capitals is another name, and its own name is free to it.
    await changeSavedView(gus, { id, ...seen, name: 'TWO', seen });
    await changeSavedView(gus, { id, ...seen, seen: { ...seen, name: 'TWO' } });

    const gone = { reason: 'NOT_FOUND', message: 'This view was deleted meanwhile.' };
    const foreign = changeSavedView(hal, { id, ...seen, name: 'Mine', seen });
    await expect(foreign).rejects.toMatchObject(gone);
    expect(await listSavedViews(gus)).toEqual(before);
    await deleteSavedView(gus, { id });
    const deleted = changeSavedView(gus, { id, ...seen, name: 'Mine', seen });
    await expect(deleted).rejects.toMatchObject(gone);
  });

  test('a change whose reply was lost is not reported as having changed nothing', async () => {
    const ivy = await person('ivy');
    const seen = { name: 'Mine', query: '' };
    const { id } = await saveView(ivy, seen);
    const { database } = runtime;
    const transaction = database.transaction.bind(database);
    const losing = vi.spyOn(database, 'transaction').mockImplementation(async (work) => {
      await transaction(work);
      throw new CommitUnknown('The connection is gone.');
    });
    const changing = changeSavedView(ivy, { id, ...seen, name: 'Other', seen });
    await expect(changing).rejects.toMatchObject({ reason: 'UNKNOWN' });
    losing.mockRestore();
    expect(await listSavedViews(ivy)).toEqual([{ id, name: 'Other', query: '' }]);
  });

  test('a deletion whose reply was lost is not reported as having changed nothing', async () => {
    const dora = await person('dora');
    const { id } = await saveView(dora, { name: 'Mine', query: '' });
    const { database } = runtime;
    const transaction = database.transaction.bind(database);
    const losing = vi.spyOn(database, 'transaction').mockImplementation(async (work) => {
      await transaction(work);
      throw new CommitUnknown('The connection is gone.');
    });
    const deleting = deleteSavedView(dora, { id });
    await expect(deleting).rejects.toMatchObject({ reason: 'UNKNOWN' });
    losing.mockRestore();
    expect(await listSavedViews(dora)).toEqual([]);
  });

  test('a session that ended elsewhere neither saves, changes nor deletes a view', async () => {
    const eve = await person('eve');
    const seen = { name: 'Mine', query: '' };
    const { id } = await saveView(eve, seen);
    const { db, tables } = runtime.database;
    await db.delete(tables.sessions).where(eq(tables.sessions.userId, 'eve'));
    for (const act of [
      () => saveView(eve, { name: 'Mine', query: 'q=changed' }),
      () => saveView(eve, { name: 'Another', query: '' }),
      () => changeSavedView(eve, { id, ...seen, name: 'Another', seen }),
      () => deleteSavedView(eve, { id }),
    ]) {
      await expect(act()).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    }
    expect(await listSavedViews(eve)).toEqual([{ id, name: 'Mine', query: '' }]);
  });

  test('their number is limited, and only users have any', async () => {
    const cleo = await person('cleo');
    for (let i = 0; i < SAVED_VIEWS_MAX; i += 1) await saveView(cleo, { name: `v${i}`, query: '' });
    const more = saveView(cleo, { name: 'one more', query: '' });
    await expect(more).rejects.toMatchObject({ reason: 'INVALID' });
    await saveView(cleo, { name: 'v0', query: 'q=changed' });
    expect(await listSavedViews(cleo)).toHaveLength(SAVED_VIEWS_MAX);
    const line = contextOf(runtime, COMMAND_LINE);
    await expect(listSavedViews(line)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    const seen = { name: 'v0', query: 'q=changed' };
    const change = changeSavedView(line, { id: 'any', ...seen, seen });
    await expect(change).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });
});
