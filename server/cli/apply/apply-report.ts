import { printable } from '../../../client/command/terminal/printable';
import type { Reason } from '../../contract/errors';
import type { MadeSecret, PlannedChange } from './planned-change';

/** What `apply` found and did. */
export interface ApplyReport {
  changes: (Omit<PlannedChange, 'run'> & {
    /** `planned`: not started, or only shown. */
    outcome: 'planned' | 'done' | 'failed';
  })[];
  /** Generated secrets, which are printed or written only this once. */
  secrets: MadeSecret[];
  /** Why a change failed; absent: none did. */
  failure?: { reason: Reason; message: string };
}

/** A report for people, with a line for each change. */
export function reportLines({ changes, failure }: ApplyReport, isDryRun: boolean): string[] {
  if (changes.length === 0) return ['Nothing to change.'];
  const lines = changes.map(({ sign, kind, name, details, outcome }) => {
    const suffix = isDryRun || outcome === 'done' ? '' : SUFFIXES[outcome];
    return printable(`${sign} ${kind} ${name}: ${details.join('; ')}`) + suffix;
  });
  const count = (sign: string) =>
    changes.filter((each) => each.sign === sign && (isDryRun || each.outcome === 'done')).length;
  const numbers = `${count('+')} ${isDryRun ? 'to add' : 'added'}, ${count('~')} ${
    isDryRun ? 'to change' : 'changed'
  }, ${count('-')} ${isDryRun ? 'to remove' : 'removed'}.`;
  return [...lines, ...(failure ? [`Failed: ${printable(failure.message)}`] : []), numbers];
}

const SUFFIXES = { planned: '  (not begun)', failed: '  (failed)' };
