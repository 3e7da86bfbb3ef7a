import { makeScene, onePage, press, type Scene } from './axe-scene';
import { expectSound } from './expect-sound';
import { cell, lockRow, untilAlive } from './locks-page';
import { expect, type Person, setUp, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

/** One page, on which each dialog is opened and closed. */
test.describe.configure({ mode: 'serial' });
test.use({ baseURL: undefined });

const DIALOG = '[role="dialog"]';

let server: RunningServer;
let admin: Person;
let scene: Scene;
test.beforeAll(async () => {
  server = await startServer();
  admin = await setUp(server);
  scene = await makeScene(server, admin);
});
test.afterAll(() => server?.discard());

const { page, visit } = onePage(() => server);
const dialog = () => page().getByRole('dialog');

async function open(address: string): Promise<void> {
  await visit(address, admin);
  await untilAlive(page());
}

test.afterEach(async () => {
  await page().keyboard.press('Escape');
  await expect(dialog()).toHaveCount(0);
});

test.describe('accessible, on any screen:', () => {
  /** The short run has one of each kind. */
  const dialogs: [string, string, () => Promise<void>][] = [
    ['release', '/locks/default/busy', () => press(page(), 'Release…')],
    ['extend @long', '/locks/default/busy', () => press(page(), 'Extend…')],
    ['ask @long', '/locks/default/busy', () => press(page(), 'Ask…')],
    ['freeze', '/locks/default/busy', () => press(page(), 'Freeze…')],
    ['reassign', '/locks/default/busy', reassign],
    ['unfreeze @long', '/locks/default/frozen', () => press(page(), 'Unfreeze…')],
    ['a new key', '/settings?section=keys', () => press(page(), 'New key…')],
    ['revoke', '/settings?section=keys', () => press(page(), 'Revoke…')],
    ['a new user', '/settings?section=people', () => press(page(), 'Add user…')],
    ['a policy', '/namespaces', changePolicy],
    ['a new namespace', '/namespaces', newNamespace],
    ['keyboard shortcuts', '/?view=all&sort=name', () => page().keyboard.press('?')],
    ['go anywhere', '/?view=all&sort=name', goAnywhere],
    ['an act on a selection', '/?view=all&sort=name', actOnSelection],
  ];
  for (const [what, address, act] of dialogs) {
    test(`the dialog: ${what}`, async () => {
      await open(address);
      await act();
      await expect(dialog()).toBeVisible();
      await expectSound(page(), DIALOG);
    });
  }

  test('the preview of a lock', async () => {
    await open('/?view=all');
    await cell(lockRow(page(), 'busy'), 'held').click();
    const preview = page().getByRole('complementary', { name: 'Lock preview' });
    await expect(preview.getByRole('region', { name: 'Queue' })).toContainText('w1');
    await expectSound(page());
  });

  test('the dialog: the lock has changed hands', async () => {
    const name = 'changing';
    const token = await scene.take(name, 'first');
    await open(`/locks/default/${name}`);
    await press(page(), 'Release…');
    await scene.orders.release({ name, owner: 'first', token });
    await scene.take(name, 'second');
    await expect(page().getByRole('button', { name: 'Use current state' })).toBeVisible();
    await expectSound(page(), DIALOG);
  });
});

async function reassign(): Promise<void> {
  await press(page(), 'Reassign…');
  await dialog().getByRole('radio').last().click();
  await expect(dialog()).toHaveAccessibleName(/^Reassign this lock to/);
}

async function changePolicy(): Promise<void> {
  await press(page(), 'Edit policy of team-blue');
  await page().getByText('Custom').click();
}

async function newNamespace(): Promise<void> {
  await press(page(), 'New namespace…');
  await page().getByText('Custom').click();
}

async function goAnywhere(): Promise<void> {
  await page().keyboard.press('Control+k');
  await page().getByRole('combobox', { name: 'Go anywhere' }).fill('bus');
  await expect(page().getByRole('option', { name: /busy/ }).first()).toBeVisible();
}

async function actOnSelection(): Promise<void> {
  for (const name of ['busy', 'shared']) {
    await lockRow(page(), name).getByRole('checkbox').click();
  }
  await page().keyboard.press('r');
  await expect(dialog()).toHaveAccessibleName('Force release 2 locks?');
  const locks = dialog().getByRole('list', { name: 'Locks' });
  await locks.focus();
  await expect(locks, 'keys can scroll it').toBeFocused();
}
