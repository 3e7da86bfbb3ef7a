import type { AlertGroup, AlertMessage } from './alert-message';
import { ALERT_LABELS } from './alert-sentence';

/** A message in one line: `Stuck in shop: 3 firing. Orphaned in billing: 1 resolved.` */
export function messageSummary({ groups, moreGroups = 0, unlisted }: AlertMessage): string {
  const parts = groups.slice(0, 3).map((group) => `${groupTitle(group)}: ${groupFigures(group)}.`);
  const more = groups.length - parts.length + moreGroups;
  if (more > 0) parts.push(`${more} more ${more === 1 ? 'group' : 'groups'}.`);
  else if (unlisted > 0) parts.push(`${unlisted} not listed.`);
  return parts.join(' ');
}

/** For example `Stuck in shop`. */
export const groupTitle = ({ kind, namespace }: AlertGroup) =>
  `${ALERT_LABELS[kind]} in ${namespace}`;

/** For example `3 firing, 1 resolved`. */
export function groupFigures({ firing, resolved }: AlertGroup): string {
  const parts = [
    ...(firing > 0 ? [`${firing} firing`] : []),
    ...(resolved > 0 ? [`${resolved} resolved`] : []),
  ];
  return parts.join(', ');
}
