/** One chart. */
export interface Panel {
  title: string;
  /** One value for each label on the axis; NaN: no value. */
  series: { name: string; values: number[] }[];
}

const WIDTH = 380;
/** Space for the half of the last label that extends beyond the last panel. */
const MARGIN = 20;
const HEIGHT = 240;
const LEFT = 62;
const RIGHT = 18;
const TOP = 52;
const BOTTOM = 48;

/** The approximate number of grid lines. */
const STEPS = 4;

/**
 * Both colour schemes are in the file: a page shows it as an image, to which no other style
 * applies.
 */
const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #4b5563; }
.title { font-weight: 600; fill: #111827; }
.paper { fill: #ffffff; }
.grid { stroke: #e5e7eb; }
.line { fill: none; stroke-width: 2; }
.s0 { stroke: #0f766e; } .f0 { fill: #0f766e; }
.s1 { stroke: #b45309; } .f1 { fill: #b45309; }
@media (prefers-color-scheme: dark) {
  text { fill: #9ca3af; }
  .title { fill: #f3f4f6; }
  .paper { fill: #0d1117; }
  .grid { stroke: #30363d; }
  .s0 { stroke: #2dd4bf; } .f0 { fill: #2dd4bf; }
  .s1 { stroke: #fbbf24; } .f1 { fill: #fbbf24; }
}`;

/**
 * Draws charts side by side over one axis, as an SVG for light and dark pages. The labels on that
 * axis are equally far apart, whatever their values; every other axis begins at 0.
 *
 * @param over what the axis shows
 * @param places the labels on the axis
 */
export function lineCharts(over: string, places: string[], panels: Panel[]): string {
  const width = WIDTH * panels.length + MARGIN;
  const drawn = panels.map(
    (panel, i) => `<g transform="translate(${i * WIDTH} 0)">${drawPanel(over, places, panel)}</g>`,
  );
  const size = `width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
    `<title>${escaped(`${panels.map(({ title }) => title).join('; ')}, by ${over}`)}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${width}" height="${HEIGHT}" rx="6"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function drawPanel(over: string, places: string[], { title, series }: Panel): string {
  const values = series.flatMap((each) => each.values).filter(Number.isFinite);
  const most = Math.max(...values, 0) || 1;
  const step = roundStep(most / STEPS);
  const top = step * Math.ceil(most / step);
  const bottomY = HEIGHT - BOTTOM;
  const y = (value: number) => bottomY - (value / top) * (bottomY - TOP);
  const gap = (WIDTH - LEFT - RIGHT) / Math.max(1, places.length - 1);
  const x = (i: number) => LEFT + i * gap;
  const steps = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step);
  return [
    text(LEFT, 20, title, 'class="title"'),
    ...(series.length > 1 ? legend(series.map(({ name }) => name)) : []),
    ...steps.flatMap((value) => [
      `<path class="grid" d="M${LEFT} ${near(y(value))}H${WIDTH - RIGHT}"/>`,
      text(LEFT - 8, y(value) + 4, value.toLocaleString('en'), 'text-anchor="end"'),
    ]),
    ...places.map((place, i) => text(x(i), bottomY + 18, place, 'text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, over, 'text-anchor="middle"'),
    ...series.flatMap((each, s) => drawSeries(each.values, s, x, y)),
  ].join('\n');
}

function drawSeries(
  values: number[],
  place: number,
  x: (i: number) => number,
  y: (value: number) => number,
): string[] {
  const points = values.flatMap((value, i) =>
    Number.isFinite(value) ? [`${near(x(i))} ${near(y(value))}`] : [],
  );
  const dots = points.map((point) => {
    const [cx, cy] = point.split(' ');
    return `<circle class="f${place}" cx="${cx}" cy="${cy}" r="3"/>`;
  });
  return points.length === 0
    ? []
    : [`<path class="line s${place}" d="M${points.join('L')}"/>`, ...dots];
}

function legend(names: string[]): string[] {
  return names.flatMap((name, i) => {
    const left = LEFT + i * 90;
    return [
      `<circle class="f${i}" cx="${left + 4}" cy="34" r="4"/>`,
      text(left + 14, 38, name, ''),
    ];
  });
}

/** Rounds the value up to 1, 2 or 5 times a power of ten. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((factor) => factor * power >= value) ?? 10);
}

const near = (value: number) => Number(value.toFixed(1));

const text = (x: number, y: number, words: string, attributes: string) =>
  `<text x="${near(x)}" y="${near(y)}" ${attributes}>${escaped(words)}</text>`;

const escaped = (words: string) =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
