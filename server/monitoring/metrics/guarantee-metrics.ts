import type { GuaranteeRow } from '../../contract/console/guarantee-row';
import type { MetricFamily, Sample } from './metrics';

const LEVELS = ['Strong', 'Timed', 'Best-effort'] as const;

/** What each backend can guarantee with its settings, and whether it grants at all. */
export function guaranteeMetrics(rows: GuaranteeRow[]): MetricFamily[] {
  const gauge = (name: string, help: string, read: (row: GuaranteeRow) => Sample[]) => ({
    name,
    help,
    type: 'gauge' as const,
    samples: rows.flatMap(read),
  });
  return [
    gauge(
      'lockyard_backend_guarantee',
      '1 for the level that the settings of the backend allow, 0 for the others; nothing ' +
        'before they were read.',
      ({ backend, reading }) =>
        reading
          ? LEVELS.map((level) => ({
              labels: { backend, level },
              value: Number(level === reading.level),
            }))
          : [],
    ),
    gauge(
      'lockyard_backend_closed',
      '1 while the backend grants nothing because its settings are unsafe or were never read.',
      ({ backend, closedBecause }) => [
        { labels: { backend }, value: Number(closedBecause !== null) },
      ],
    ),
    gauge(
      'lockyard_backend_settings_age_seconds',
      'Time since the settings of the backend were last read.',
      ({ backend, reading }) =>
        reading ? [{ labels: { backend }, value: reading.ageMs / 1_000 }] : [],
    ),
  ];
}
