import { mkdirSync } from 'node:fs';
import { signInLink } from './demo/sign-in-link.mjs';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

const viewport = { width: 1440, height: 900 };
/** How long to watch until a lock on the page is stuck. */
const watchingMs = 100_000;
/** A lock of the demo that becomes stuck. */
const lock = 'cron:nightly-report';
/** A lock that constantly changes hands. */
const busyLock = { namespace: 'shop', name: 'inventory:wh7:sku-10442' };
/** The lock of the tutorial. */
const tutorialLock = 'invoices:2026-11';
/** The owner in the incident with which the demo begins. */
const hung = 'inventory-5d8f:worker-11';

/** `npm run screenshots`: takes the pictures of docs/images from its own demo. */
async function takeScreenshots() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { projectRoot } = await import('./project-root.mjs');
  const { makeAppReady } = await import('./build/make-ready.mjs');
  const { ensureChromium } = await import('./suites/test-needs.mjs');

  const say = (line) => process.stdout.write(`${line}\n`);
  process.chdir(projectRoot);
  await makeAppReady(say, { withDev: true });
  await ensureChromium(say);
  const { tsImport } = await import('tsx/esm/api');
  const { startServer } = await tsImport('../e2e/start-server.ts', import.meta.url);
  const server = await startServer({ LOCKYARD_DEMO: '1' });
  try {
    await photograph(signInLink(server), say);
  } finally {
    await server.discard();
  }
}

async function photograph(link, say) {
  const { chromium } = await import('playwright');
  const { chromiumPath } = await import('./system/find-program.mjs');
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const shoot = async (what, name) => {
    const path = `docs/images/${name}.png`;
    await what.screenshot({ path });
    say(`Wrote ${path}`);
  };
  try {
    mkdirSync('docs/images', { recursive: true });
    const page = await browser.newPage({ viewport });
    await page.goto(link);
    await page.goto(new URL('/?view=all', link).href);
    await page.getByText(lock).first().waitFor();
    say(`Watching the demo for ${watchingMs / 1000} seconds …`);
    await page.waitForTimeout(watchingMs);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(1_000);
      await shoot(page, `locks-${colorScheme}`);
    }
    await page.getByText(lock).first().click();
    await page.waitForURL(/nightly-report/);
    await page.waitForTimeout(3_000);
    await shoot(page, 'lock-dark');
    await page.goto(
      new URL(`/locks/${busyLock.namespace}/${encodeURIComponent(busyLock.name)}`, page.url()).href,
    );
    const charts = page.getByRole('region', { name: 'Wait and hold times' });
    await charts.locator('svg.recharts-surface').first().waitFor();
    await page.waitForTimeout(1_000);
    await shoot(charts, 'charts-dark');
    await withTutorialLock(page, async () => {
      await page.goto(new URL(`/locks/default/${tutorialLock}`, page.url()).href);
      await page.getByText('billing-2').first().waitFor();
      await page.waitForTimeout(10_000);
      await shoot(page, 'tutorial-dark');
    });
    await page.goto(new URL('/waits', page.url()).href);
    await page.waitForTimeout(4_000);
    await shoot(page, 'waits-dark');
    await page.goto(new URL('/insights', page.url()).href);
    const incident = page.getByRole('listitem').filter({ hasText: hung }).last();
    await incident.getByRole('link').click();
    await page.waitForURL(/insights\/\d+/);
    await page.waitForTimeout(3_000);
    await shoot(page, 'incident-dark');
  } finally {
    await browser.close();
  }
}

/** Runs `work` while the two owners of the tutorial hold its lock and wait for it. */
async function withTutorialLock(page, work) {
  const { tsImport } = await import('tsx/esm/api');
  const { LockyardClient, withLock } = await tsImport('../client/lockyard.ts', import.meta.url);
  const apiKey = await page.evaluate(
    async (key) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(key);
      const reply = await fetch('/api/trpc/keys.create', { method: 'POST', headers, body });
      return (await reply.json()).result.data.key;
    },
    { name: 'tutorial', namespaces: ['default'] },
  );
  const client = new LockyardClient({ url: new URL(page.url()).origin, apiKey });
  const end = new AbortController();
  const hold = (owner) =>
    withLock(
      tutorialLock,
      { client, owner, waitMs: 600_000, signal: end.signal },
      (held) =>
        new Promise((_, reject) => {
          held.signal.addEventListener('abort', () => reject(held.signal.reason));
        }),
    ).catch(() => undefined);
  const holds = [hold('billing-1')];
  while ((await client.inspect({ name: tutorialLock })).holders.length === 0);
  holds.push(hold('billing-2'));
  try {
    await work();
  } finally {
    end.abort();
    await Promise.all(holds);
  }
}

takeScreenshots().catch(endWith);
