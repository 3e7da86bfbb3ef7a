import { readFileSync } from 'node:fs';
import { tsImport } from 'tsx/esm/api';
import { makeAppReady } from '../build/make-ready.mjs';
import { signInLink } from '../demo/sign-in-link.mjs';
import { chromiumPath } from '../system/find-program.mjs';
import { ensureChromium } from './test-needs.mjs';

/** The time until the page has loaded and the demo is busy. */
const SETTLE_MS = 10_000;
const WATCH_MS = 60_000;
/** The kernel counts processor time in hundredths of a second (Linux). */
const TICK_MS = 10;

/**
 * `npm run bench -- screen`: what the lock list of the busy demo costs a browser at 1440 × 900 that
 * is left alone for a minute, and how steady it is. Counts processor time, which depends little on
 * the machine's other load.
 */
export async function measureScreen(say) {
  await makeAppReady(say, { withDev: true });
  await ensureChromium(say);
  const { startServer } = await tsImport('../../e2e/start-server.ts', import.meta.url);
  const { watchList } = await tsImport('../../e2e/list-watch.ts', import.meta.url);
  const { chromium } = await import('playwright');
  const server = await startServer({ LOCKYARD_DEMO: '1' });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(signInLink(server));
    await page.goto(`${server.url}/?view=all`);
    await page.mouse.move(700, 5);
    await page.waitForTimeout(SETTLE_MS);
    // The compiler of this function wraps its inner functions in this.
    await page.evaluate('globalThis.__name = (inner) => inner');
    await page.evaluate(watchList);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const [cpuBefore, workBefore] = [await cpuOf(browser), await workOf(session)];
    const beganAt = performance.now();
    await page.waitForTimeout(WATCH_MS);
    const [cpu, work] = [await cpuOf(browser), await workOf(session)];
    const share = (ms) => `${((100 * ms) / (performance.now() - beganAt)).toFixed(1)} % of a core`;
    const seen = await page.evaluate(() => window.seen);
    for (const kind of ['renderer', 'GPU', 'browser']) {
      const limit = kind === 'renderer' ? ' (at most 10 %)' : '';
      say(`${kind} process: ${share(cpu[kind] - cpuBefore[kind])}${limit}`);
    }
    for (const kind of ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']) {
      say(`  ${kind}: ${share(1_000 * (work[kind] - workBefore[kind]))}`);
    }
    say(`layout shifts: ${seen.shift.toFixed(4)} in all (at most 0.02)`);
    say(`first 22 rows: another order in ${seen.moves} of ${seen.samples} half-seconds (1 of 10)`);
    say(`flashes: ${seen.flashes}, for ${seen.changes} changes of state (as many)`);
  } finally {
    await browser.close();
    await server.discard();
  }
}

/** Processor time of each kind of process, in milliseconds. */
async function cpuOf(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const spent = {};
  for (const { id, type } of processInfo) {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    spent[type] = (spent[type] ?? 0) + TICK_MS * (user + system);
  }
  return spent;
}

/** The seconds spent on the page's main thread, by kind of work. */
async function workOf(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}
