import type { AlertMessage, SentAlert } from '../../../core/alerts/alert-message';
import { datedSentence } from '../../../core/alerts/alert-sentence';
import { groupFigures, groupTitle } from '../../../core/alerts/message-summary';
import { alertLink } from './alert-link';

/** Slack refuses longer texts. */
const TEXT_MAX_CHARS = 30_000;

/** The body for an incoming webhook of Slack. @param origin of links to the console */
export function slackBody(message: AlertMessage, origin: string): string {
  const lines = message.groups.flatMap((group) => [
    `*${escaped(groupTitle(group))}*: ${groupFigures(group)}`,
    ...group.alerts.map((alert) => alertLine(alert, origin, message.at)),
  ]);
  if (message.unlisted > 0) lines.push(`${message.unlisted} more are not listed.`);
  lines.push(`<${origin}/alerts|All alerts>`);
  return JSON.stringify({
    text: cut(lines.join('\n')),
    unfurl_links: false,
    unfurl_media: false,
  });
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

function cut(text: string): string {
  if (text.length <= TEXT_MAX_CHARS) return text;
  return `${text.slice(0, text.lastIndexOf('\n', TEXT_MAX_CHARS))}\n…`;
}
