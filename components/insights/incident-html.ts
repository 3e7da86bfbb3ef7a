import type { IncidentDetail } from '@/server/contract/console/past/incident';
import { durationText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { exactInstant } from '../format/instants';
import { eventDetail, eventLook } from '../locks/lock/event-labels';
import { actLabel, holdTitle, timelineMarks, waitTitle } from '../locks/timeline/timeline-labels';
import { endOf, shareAt } from '../locks/timeline/timeline-lanes';
import { STATUS_STYLES } from '../ui/status-badge';
import {
  incidentFacts,
  incidentSentence,
  lacksOf,
  RELATION_LABELS,
  unlistedText,
} from './incident-labels';
import { blockingSeries, incidentLanes } from './incident-timeline';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text escaped for any place in HTML. Names in it must have been made visible. */
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** The same for a name alone, whose invisible characters are marked. */
const named = (text: string) => escaped(visibleText(text));

const WIDTH = 920;
const LEFT = 190;
const LANE = 22;

/** The page may load and run nothing. */
const CSP = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
:root{color-scheme:light dark;--bg:light-dark(#f6f5f2,#151a1b);--card:light-dark(#fefefd,#1b2021);
--line:light-dark(#dedcd7,#33393a);
--t1:light-dark(#1a2224,#eef1f1);--t2:light-dark(#4a5457,#b8c0c1);
--held:light-dark(#657073,#a4adae);--past:light-dark(#a9afb0,#5e6768);
--wait:light-dark(#c98a5e,#b58146);
--long:light-dark(#b4571d,#f0a85c);--stuck:light-dark(#b3131f,#d43640);
--acc:light-dark(#0f6b60,#6fd9c4)}
body{margin:0;background:var(--bg);color:var(--t1);font:14px/1.5 system-ui,sans-serif}
main{max-width:960px;margin:0 auto;padding:28px 20px 48px}
h1{font:600 22px/1.3 ui-monospace,monospace;overflow-wrap:anywhere;margin:4px 0}
h2{font-size:15px;margin:26px 0 8px}p{margin:6px 0}.quiet{color:var(--t2)}
.badge{display:inline-block;padding:1px 8px;border:1px solid;border-radius:5px;font-weight:600}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:1px;
background:var(--line);border:1px solid var(--line);border-radius:10px;overflow:hidden}
dl>div{background:var(--card);padding:10px 14px}dt{color:var(--t2);font-size:12px}
dd{margin:0;font-weight:600;overflow-wrap:anywhere}
svg{display:block;width:100%;height:auto;background:var(--card);
border:1px solid var(--line);border-radius:10px}
text{fill:var(--t2);font:12px ui-monospace,monospace}.line{stroke:var(--line)}
.held{fill:var(--held)}.long{fill:var(--long)}.stuck{fill:var(--stuck)}.past{fill:var(--past)}
.wait{fill:var(--wait)}.act{stroke:var(--acc);stroke-width:2}
.mark{stroke:var(--stuck);stroke-dasharray:3 3}
.area{fill:var(--wait);fill-opacity:.25;stroke:var(--long);stroke-width:1.6}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;padding:5px 12px 5px 0;vertical-align:top;border-top:1px solid var(--line);
overflow-wrap:anywhere}
th{font-weight:500;color:var(--t2);white-space:nowrap}
`;

/**
 * An incident as one HTML file that needs nothing else: no script, no request, and a policy that
 * forbids both. Every text of callers and operators is escaped.
 *
 * @param address of the incident's page, for readers with access to the console
 */
export function incidentHtml(detail: IncidentDetail, address: string): string {
  const { incident, asOf } = detail;
  const { name, namespace, backend, status } = incident;
  const title = `Incident: ${named(name)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CSP}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<span class="badge">${STATUS_STYLES[status].word}</span>
<h1>${named(name)}</h1>
<p class="quiet">${named(namespace)} · ${named(backend)}</p>
<p>${escaped(incidentSentence(incident))}</p>
${factsHtml(detail)}
${relatedHtml(detail)}
<h2>Total blocking time</h2>
${blockingHtml(detail)}
<h2>Timeline</h2>
${lacksOf(detail.timeline)
  .map((text) => `<p class="quiet">${escaped(text)}</p>`)
  .join('')}
${timelineHtml(detail)}
<h2>What happened</h2>
${eventsHtml(detail)}
<p class="quiet">Exported ${exactInstant(asOf)} from ${named(address)}. All instants are UTC, on
the clock of the backend. Events of routine, such as renewals, are left out.</p>
</main>
</body>
</html>
`;
}

function factsHtml(detail: IncidentDetail): string {
  const items = incidentFacts(detail).map(([term, value, more]) => {
    const text = typeof value === 'string' ? value : exactInstant(value.at);
    const words = more === '' ? text : `${text} (${more})`;
    return `<div><dt>${term}</dt><dd>${escaped(words)}</dd></div>`;
  });
  return `<dl>${items.join('')}</dl>`;
}

function relatedHtml({ related }: IncidentDetail): string {
  if (related.length === 0) return '';
  const items = related.map(
    ({ relation, incident }) =>
      `<li>${named(incident.name)} (${escaped(STATUS_STYLES[incident.status].word)}): ` +
      `${RELATION_LABELS[relation]}</li>`,
  );
  return `<h2>Related incidents</h2>\n<ul>${items.join('')}</ul>`;
}

const x = (share: number) => (LEFT + share * (WIDTH - LEFT - 12)).toFixed(1);

/** Where the incident began and ended. */
function marksHtml({ incident, timeline }: IncidentDetail, height: number): string {
  const instants = [incident.beganAt, incident.endedAt].filter((at) => at !== null);
  return instants
    .map((at) => x(shareAt(at, timeline)))
    .map((left) => `<line class="mark" x1="${left}" x2="${left}" y1="0" y2="${height}"/>`)
    .join('');
}

function blockingHtml(detail: IncidentDetail): string {
  const { timeline } = detail;
  const height = 110;
  const series = blockingSeries(timeline.waits, timeline, 180);
  const max = Math.max(1, ...series.map(({ blockingMs }) => blockingMs));
  const points = series.map(
    ({ at, blockingMs }) =>
      `${x(shareAt(at, timeline))},${(height - 8 - (blockingMs / max) * (height - 24)).toFixed(1)}`,
  );
  const base = height - 8;
  return (
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Total blocking time">` +
    `<text x="12" y="22">${escaped(durationText(max))}</text><text x="12" y="${base}">0</text>` +
    `<polygon class="area" points="${x(0)},${base} ${points.join(' ')} ${x(1)},${base}"/>` +
    `${marksHtml(detail, height)}</svg>`
  );
}

function timelineHtml(detail: IncidentDetail): string {
  const { timeline } = detail;
  const lanes = incidentLanes(detail);
  const holdersPx = Math.max(1, lanes.rows) * LANE;
  const { from, to } = timeline;
  const marks = timelineMarks(timeline).filter(({ at }) => at >= from && at <= to);
  const height = 24 + holdersPx + (lanes.lanes.length + marks.length + 1) * LANE + 8;
  const holds = lanes.holds.flatMap(({ bar, segments, row }) =>
    segments.map(({ left, width, tone }) =>
      rect(left, width, 10 + row * LANE, 14, tone, holdTitle(bar, false, timeline.to, 'UTC')),
    ),
  );
  const waits = lanes.lanes.flatMap(({ owner, bars }, lane) => {
    const y = 10 + holdersPx + lane * LANE;
    return [
      `<text x="12" y="${y + 11}">${escaped(shortened(visibleText(owner)))}</text>`,
      ...bars.map((bar) => {
        const left = shareAt(bar.from, timeline);
        const width = shareAt(endOf(bar, timeline.to), timeline) - left;
        const tone = bar.end === 'granted' || bar.end === null ? 'wait' : 'past';
        return rect(left, width, y + 4, 6, tone, waitTitle(bar, timeline.to, 'UTC'));
      }),
    ];
  });
  const acts = marks.map((act, i) => {
    const left = x(shareAt(act.at, timeline));
    const y = 20 + holdersPx + (lanes.lanes.length + i) * LANE;
    return (
      `<line class="act" x1="${left}" x2="${left}" y1="4" y2="${y}"/>` +
      `<text x="12" y="${y}">${escaped(shortened(actLabel(act)))}</text>`
    );
  });
  const more = lanes.more > 0 ? `<p class="quiet">${plural(lanes.more, 'more waiter')}.</p>` : '';
  return (
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Timeline">` +
    `<text x="12" y="21">holder</text>${holds.join('')}${waits.join('')}${acts.join('')}` +
    `${marksHtml(detail, height)}${axisHtml(detail, height - 10)}</svg>${more}`
  );
}

/** When the timeline begins and ends. */
const axisHtml = ({ timeline: { from, to } }: IncidentDetail, y: number) =>
  `<text x="${LEFT}" y="${y}">${exactInstant(from)}</text>` +
  `<text x="${WIDTH - 12}" y="${y}" text-anchor="end">${exactInstant(to)}</text>`;

function rect(
  left: number,
  width: number,
  y: number,
  height: number,
  tone: string,
  title: string,
): string {
  const px = Math.max(2, width * (WIDTH - LEFT - 12)).toFixed(1);
  return (
    `<rect class="${tone}" x="${x(left)}" y="${y}" width="${px}" height="${height}" rx="2">` +
    `<title>${escaped(title)}</title></rect>`
  );
}

/** A text cut to fit beside a lane; its end is kept, since similar names differ there. */
function shortened(text: string): string {
  const cells = [...text];
  if (cells.length <= 23) return cells.join('');
  return `${cells.slice(0, 10).join('')}…${cells.slice(-12).join('')}`;
}

function eventsHtml(detail: IncidentDetail): string {
  const rows = detail.events.map((event) => {
    const parts = [visibleText(event.owner), eventDetail(event)];
    const words = parts.filter((part) => part !== '').join(', ');
    return (
      `<tr><th>${exactInstant(event.at)}</th><td>${escaped(eventLook(event.kind).label)}</td>` +
      `<td>${escaped(words)}</td><td>${event.token ?? ''}</td></tr>`
    );
  });
  const unlisted = unlistedText(detail);
  const note = unlisted === null ? '' : `<p class="quiet">${unlisted}</p>`;
  return `<table><tbody>${rows.join('')}</tbody></table>${note}`;
}
