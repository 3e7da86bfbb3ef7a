import { printable } from '../../client/command/terminal/printable';
import type {
  ChosenNames,
  DeletionPreview,
  DeletionResult,
} from '../contract/console/deletion-inputs';
import { LockyardError } from '../contract/errors';
import { deletionRequests } from '../core/names/deletion-requests';
import { deleteNames, previewDeletion } from '../operations/namespaces/delete-names';
import type { ControlContext, OperationContext } from '../operations/operation-context';

/** Which names, and, where they are to be deleted, how many at most and why. */
type DeletionCommand = ChosenNames & { atMost?: number | undefined; reason?: string | undefined };

/**
 * Deletes names for the command line, request after request until as many are gone as were asked
 * for or no more can go. Returns what to print: one line a name, and one for all together. Without
 * a count it tells what would go.
 *
 * @throws LockyardError `BACKEND_DOWN` where no server runs: only that knows what is in use
 */
export async function runDeletion(ctx: ControlContext, asked: DeletionCommand): Promise<string> {
  if (!isServing(ctx)) {
    throw new LockyardError('BACKEND_DOWN', 'No server runs over this data folder; start one.');
  }
  const { atMost, reason, ...chosen } = asked;
  if (atMost === undefined || reason === undefined) {
    return previewLines(chosen.kind, await previewDeletion(ctx, chosen)).join('\n');
  }
  const lines: string[] = [];
  let deleted = 0;
  const request = (left: ChosenNames, most: number) =>
    deleteNames(ctx, { ...left, atMost: most, reason });
  for await (const answer of deletionRequests(chosen, atMost, request)) {
    deleted += answer.deleted;
    lines.push(...answer.results.map(resultLine));
  }
  return [...lines, `${deleted} deleted.`].join('\n');
}

function isServing(ctx: ControlContext): ctx is OperationContext {
  return 'nameDeletion' in ctx.runtime;
}

function previewLines(
  kind: ChosenNames['kind'],
  { matching, going, examples, kept }: DeletionPreview,
): string[] {
  return [
    `${matching} ${kind === 'lock' ? 'locks' : 'counters'} are meant: ${going} can be deleted.`,
    ...(going > 0 ? [`can be deleted: ${listed(examples, going)}`] : []),
    ...kept.map(
      ({ because, count, examples: some }) => `kept, ${because}, ${count}: ${listed(some, count)}`,
    ),
  ];
}

const listed = (some: string[], all: number) =>
  `${some.map(printable).join(', ')}${all > some.length ? ', …' : ''}`;

function resultLine(result: DeletionResult): string {
  const fate = result.outcome === 'kept' ? `kept, ${result.because}` : result.outcome;
  return `${fate}: ${printable(result.name)}`;
}
