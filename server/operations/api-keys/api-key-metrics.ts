import { isNotNull, isNull } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import { KEY_EXPIRES_SOON_MS } from '../../contract/key-verbs';
import type { MetricFamily } from '../../monitoring/metrics/metrics';
import { TimeLimit } from '../../platform/time-limit';

/** How long a scrape waits for the control database: all other metrics are read from memory. */
const READ_WITHIN_MS = 1_000;

/**
 * Figures of the live keys that expire and were not rotated. If the control database does not
 * answer within a second, reports only that they were not read.
 */
export async function apiKeyMetrics(database: Database, now: number): Promise<MetricFamily[]> {
  const late = () => new Error('The keys could not be read in time.');
  const read = TimeLimit.within(READ_WITHIN_MS, late, expiries(database));
  const all = await read.catch(() => null);
  const isRead: MetricFamily = {
    name: 'lockyard_api_keys_read',
    help:
      '1 if the control database answered within 1 s when the API keys were counted for this ' +
      'scrape; 0: their other metrics are missing.',
    type: 'gauge',
    samples: [{ labels: {}, value: all === null ? 0 : 1 }],
  };
  return all === null ? [isRead] : [isRead, ...expiryMetrics(all, now)];
}

/** When keys that were not rotated expire, including those that have expired. */
async function expiries({ db, tables }: Database): Promise<number[]> {
  const { expiresAt, revokedAt, replacedBy } = tables.apiKeys;
  const needsRotation = allOf(isNotNull(expiresAt), isNull(revokedAt), isNull(replacedBy));
  const rows = await db.select({ expiresAt }).from(tables.apiKeys).where(needsRotation);
  return rows.map((row) => row.expiresAt ?? 0);
}

function expiryMetrics(all: readonly number[], now: number): MetricFamily[] {
  const ends = all.filter((end) => end > now);
  const soon = ends.filter((end) => end <= now + KEY_EXPIRES_SOON_MS).length;
  const next = ends.length > 0 ? [{ labels: {}, value: Math.min(...ends) / 1_000 }] : [];
  return [
    {
      name: 'lockyard_api_keys_expiring',
      help: 'API keys that expire within 14 days and were not rotated.',
      type: 'gauge',
      samples: [{ labels: {}, value: soon }],
    },
    {
      name: 'lockyard_api_key_next_expiry_timestamp_seconds',
      help: 'When the next API key that was not rotated expires, in seconds since 1970.',
      type: 'gauge',
      samples: next,
    },
  ];
}
