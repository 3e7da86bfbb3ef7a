import type { MetricFamily } from '../../monitoring/metrics/metrics';

/** How a page request was answered. */
export const PAGE_ANSWERS = ['memory', 'rendered', 'led', 'full', 'down', 'away'] as const;
export type PageAnswer = (typeof PAGE_ANSWERS)[number];

/** Current figures of the pages and of the process that renders them. */
export interface PageFigures {
  answers: Record<PageAnswer, number>;
  rendering: number;
  queued: number;
  throttled: number;
  isUp: boolean;
  restarts: number;
  /** 0: not known yet. */
  residentBytes: number;
}

export function pageMetrics(figures: PageFigures): MetricFamily[] {
  const one = (name: string, type: 'counter' | 'gauge', help: string, value: number) => ({
    name,
    help,
    type,
    samples: [{ labels: {}, value }],
  });
  const { answers, rendering, queued, throttled, isUp, restarts, residentBytes } = figures;
  return [
    {
      name: 'lockyard_page_answers_total',
      help:
        'How page requests were answered: from `memory`, `rendered`, `led` to another page, or ' +
        'refused: `full` (too many), `down` (page process), `away` (control database).',
      type: 'counter',
      samples: PAGE_ANSWERS.map((answer) => ({ labels: { answer }, value: answers[answer] })),
    },
    one('lockyard_pages_rendering', 'gauge', 'Pages that are being rendered.', rendering),
    one('lockyard_pages_queued', 'gauge', 'Requests that wait for a page to be rendered.', queued),
    one(
      'lockyard_pages_paced',
      'gauge',
      'Requests for pages and files that wait because together they have had their share of ' +
        'the event loop.',
      throttled,
    ),
    one(
      'lockyard_page_process_up',
      'gauge',
      '1 while the process that renders pages can be asked for them.',
      Number(isUp),
    ),
    one(
      'lockyard_page_process_restarts_total',
      'counter',
      'How often that process had to be started again.',
      restarts,
    ),
    one(
      'lockyard_page_process_resident_bytes',
      'gauge',
      'Resident memory of that process; 0 until it has reported it.',
      residentBytes,
    ),
  ];
}
