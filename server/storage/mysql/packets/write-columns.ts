import type { Change } from '../../record-store';
import { quote } from './sql-text';

/** What a change expects, in the form of the column `seen`; empty: no record. */
function seenText({ expect }: Pick<Change, 'expect'>): string {
  return expect ? `${expect.rev}:${expect.writer}` : '';
}

/** Replaces the queue if the stored one stays. No queue's text equals this. */
const UNCHANGED_QUEUE = '-';

/** The values of `rev`, `writer`, `head`, `queue` and `seen` in the order of these columns. */
export function recordValues(change: Change): string {
  const { rev, writer, head, queue } = change;
  const queueText = queue ?? UNCHANGED_QUEUE;
  return `${rev},${quote(writer)},${quote(head)},${quote(queueText)},${quote(seenText(change))}`;
}

/**
 * For `ON DUPLICATE KEY UPDATE`, after `writer` was assigned or kept. Assignments run from left to
 * right, so these only test whether it was written.
 */
export const ASSIGN_REST = [
  'rev = IF(writer = VALUES(writer), VALUES(rev), rev)',
  'head = IF(writer = VALUES(writer), VALUES(head), head)',
  'changed_at = IF(writer = VALUES(writer), @now, changed_at)',
];

/** The same for the queue, which a change may leave unchanged. */
export const ASSIGN_QUEUE =
  `queue = IF(writer = VALUES(writer) AND VALUES(queue) <> '${UNCHANGED_QUEUE}', ` +
  'VALUES(queue), queue)';

/** What `UPDATE` sets for a single record, except the instant of the change. */
export function recordAssignments({ rev, writer, head, queue }: Change): string[] {
  return [
    `rev = ${rev}`,
    `writer = ${quote(writer)}`,
    `head = ${quote(head)}`,
    ...(queue === null ? [] : [`queue = ${quote(queue)}`]),
  ];
}
