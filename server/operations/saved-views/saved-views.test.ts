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

  test('a session that ended elsewhere neither saves nor deletes a view', async () => {
    const eve = await person('eve');
    const { id } = await saveView(eve, { name: 'Mine', query: '' });
    const { db, tables } = runtime.database;
    await db.delete(tables.sessions).where(eq(tables.sessions.userId, 'eve'));
    for (const act of [
      () => saveView(eve, { name: 'Mine', query: 'q=changed' }),
      () => saveView(eve, { name: 'Another', query: '' }),
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
  });
});
