import { and, isNotNull, isNull, type SQL } from 'drizzle-orm';
import type { Database } from '@/db/database';
import { KEY_EXPIRES_SOON_MS } from '../../contract/key-verbs';
import type { MetricFamily } from '../../monitoring/metrics/metrics';

/** Figures of the live keys that expire and were not rotated; none while the database is away. */
export async function apiKeyMetrics(
  { db, tables }: Database,
  now: number,
): Promise<MetricFamily[]> {
  const { expiresAt, revokedAt, replacedBy } = tables.apiKeys;
  const needsRotation = and(isNotNull(expiresAt), isNull(revokedAt), isNull(replacedBy)) as SQL;
  const rows = await db
    .select({ expiresAt })
    .from(tables.apiKeys)
    .where(needsRotation)
    .catch(() => null);
  if (rows === null) return [];
  const ends = rows.map((row) => row.expiresAt ?? 0).filter((end) => end > now);
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
