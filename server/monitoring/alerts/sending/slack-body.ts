import type { AlertMessage, SentAlert } from '../../../core/alerts/alert-message';
import { datedSentence } from '../../../core/alerts/alert-sentence';
import { groupFigures, groupTitle } from '../../../core/alerts/message-summary';
import { alertLink } from './alert-link';

/** Slack refuses longer texts. */
const TEXT_MAX_CHARS = 30_000;

/** Room for the line that says how many alerts are not listed. */
const UNLISTED_CHARS = 100;

/**
 * The body for an incoming webhook of Slack. Alerts for which there is no room are counted instead.
 *
 * @param origin of links to the console
 */
export function slackBody(message: AlertMessage, origin: string): string {
  const { groups, at } = message;
  const titles = groups.map((group) => `*${escaped(groupTitle(group))}*: ${groupFigures(group)}`);
  const link = `<${origin}/alerts|All alerts>`;
  let leftChars = TEXT_MAX_CHARS - [...titles, link].join('\n').length - UNLISTED_CHARS;
  let { unlisted } = message;
  const lines = groups.flatMap((group, i) => {
    const listed = group.alerts.flatMap((alert) => {
      const line = alertLine(alert, origin, at);
      leftChars -= line.length + 1;
      if (leftChars >= 0) return [line];
      unlisted += 1;
      return [];
    });
    return [titles[i], ...listed];
  });
  if (unlisted > 0) lines.push(`${unlisted} more are not listed.`);
  const text = [...lines, link].join('\n');
  return JSON.stringify({ text, unfurl_links: false, unfurl_media: false });
}

function alertLine(alert: SentAlert, origin: string, now: number): string {
  const { name, backend, resolvedAt } = alert;
  const state = resolvedAt === null ? ':red_circle:' : ':large_green_circle: Resolved.';
  const shown = escaped(oneLine(name ?? backend)).replaceAll('|', '¦');
  const sentence = escaped(oneLine(datedSentence(alert, now)));
  return `${state} <${alertLink(alert, origin)}|${shown}> ${sentence}`;
}

/** So that no name is taken for a link or a mention. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
