import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Hold, unwrittenRecord } from '../../core/lock/lock-record';
import { ProjectionRow } from '../projection/projection-row';
import type { Observation, Witness } from './holder-evidence';
import { HolderIndex } from './holder-index';
import { UrlWitnesses } from './url-witnesses';

/** More than are asked at the same time. */
const PODS = 20;

describe('the URLs of witnesses', () => {
  let server: Server;
  let urls: UrlWitnesses;
  const asked: string[] = [];
  let noted: (Observation & Witness)[];

  beforeEach(async () => {
    const answer: RequestListener = ({ url = '' }, res) => {
      asked.push(url);
      if (url.startsWith('/k8s/')) res.end(JSON.stringify({ state: 'alive' }));
    };
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const witnesses = ['away', 'k8s'].map((id) => ({
      id,
      template: `http://127.0.0.1:${port}/${id}/{pod}`,
      authorization: null,
    }));
    asked.length = 0;
    noted = [];
    urls = new UrlWitnesses(witnesses, {
      holders: holdersOf(PODS),
      lastOf: () => undefined,
      note: async (by, observed) => {
        for (const [, seen] of observed) noted.push({ ...by, ...seen });
      },
    });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  test('are asked regularly even if those of another witness do not respond', async () => {
    const [away, k8s] = urls.jobs();
    const waiting = away?.run();
    for (let round = 1; round <= 2; round += 1) {
      await k8s?.run();
      expect(noted.filter(({ witness }) => witness === 'k8s')).toHaveLength(round * PODS);
    }
    urls.abort();
    await waiting;
  });

  test('are no longer asked once their turn ends, and the last answer is discarded', async () => {
    const [away] = urls.jobs();
    const waiting = away?.run();
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    urls.abort();
    await waiting;
    expect(asked.length).toBeLessThan(PODS);
    expect(noted).toEqual([]);
    urls.restart();
    await urls.jobs()[1]?.run();
    expect(noted).toHaveLength(PODS);
  });
});

/** Each holds one lock. */
function holdersOf(pods: number): HolderIndex {
  const holders = new HolderIndex();
  const now = 1_800_000_000_000;
  for (let i = 0; i < pods; i += 1) {
    const record = { ...unwrittenRecord(now), holds: [holdOfPod(`web-${i}`, now)] };
    const key = { namespace: 'default', name: `job ${i}` };
    const row = ProjectionRow.of({ id: 'default', publicId: 'default' }, key, now, record);
    holders.replaced(null, row);
  }
  return holders;
}

const holdOfPod = (pod: string, grantedAt: number): Hold => ({
  token: 1,
  mode: 'exclusive',
  service: 'billing',
  owner: 'one',
  count: 1,
  leaseMs: 3_600_000,
  grantedAt,
  renewedAt: grantedAt,
  renewals: 0,
  expiresAt: grantedAt + 3_600_000,
  waitedMs: 0,
  rev: 1,
  meta: { pod },
  requests: [],
  requestsKeptUntil: 0,
  askedToRelease: null,
  renewalsStopped: null,
});
