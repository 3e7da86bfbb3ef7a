/** A circle as a path. */
const circle = (x: number, y: number, r: number) => ellipse(x, y, r, r);

const ellipse = (x: number, y: number, rx: number, ry: number) =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`;

/** A rectangle with round corners as a path. */
const box = (x: number, y: number, width: number, height: number, r: number) =>
  `M${x + r} ${y}h${width - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${height - 2 * r}` +
  `a${r} ${r} 0 0 1 ${-r} ${r}h${2 * r - width}a${r} ${r} 0 0 1 ${-r} ${-r}` +
  `v${2 * r - height}a${r} ${r} 0 0 1 ${r} ${-r}`;

/** The paths of every icon of the console: a 24 grid, strokes of 2 px, round ends. */
const ICON_PATHS = {
  activity: ['M3 12h4l3-8 4 16 3-8h4'],
  'alert-circle': [circle(12, 12, 9), 'M12 7.5v5M12 16.4v.1'],
  'alert-octagon': ['M8 3h8l5 5v8l-5 5H8l-5-5V8Z', 'M12 7.5v5M12 16.4v.1'],
  'alert-triangle': [
    'M10.3 4.2 2.6 17.5A2 2 0 0 0 4.3 20.5h15.4a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0Z',
    'M12 9.5v4M12 17v.1',
  ],
  'arrow-down': ['M12 5v14M18.5 12.5 12 19l-6.5-6.5'],
  'arrow-right': ['M5 12h14M12.5 5.5 19 12l-6.5 6.5'],
  'arrow-up': ['M12 19V5M5.5 11.5 12 5l6.5 6.5'],
  audit: [
    'M7 3.5h11.5A2 2 0 0 0 16.5 5.5V17',
    'M7 3.5A2.5 2.5 0 0 0 4.5 6v1.5h4V6A2.5 2.5 0 0 0 7 3.5Z',
    'M8.5 7.5V18a2.5 2.5 0 0 0 2.5 2.5h8a2.5 2.5 0 0 0 2.5-2.5v-1h-8v1',
    'a2.5 2.5 0 0 1-2.5 2.5',
    'M12 8.5h1.5M12 12.5h1.5',
  ],
  bell: ['M18 15.5H6l1.5-2V10a4.5 4.5 0 0 1 9 0v3.5l1.5 2ZM12 5.5V4M10 18.5a2 2 0 0 0 4 0'],
  'check-circle': [circle(12, 12, 9), 'M8 12.3l2.8 2.7L16 9.5'],
  check: ['M4.5 12.5l5 5 10-11'],
  'chevron-down': ['M6 9l6 6 6-6'],
  'chevron-left': ['M15 6l-6 6 6 6'],
  'chevron-right': ['M9 6l6 6-6 6'],
  clock: [circle(12, 12, 9), 'M12 7v5.2l3.2 1.8'],
  close: ['M6 6l12 12M18 6 6 18'],
  code: ['M8 7l-5 5 5 5M16 7l5 5-5 5M13.6 5l-3.2 14'],
  copy: [box(9, 9, 12, 12, 2), 'M5 15a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2'],
  counter: ['M4.5 9h15.5M4 15h15.5M10 3.5 8 20.5M16 3.5l-2 17'],
  cycle: [
    'M17 2.5 21 6.5l-4 4M21 6.5H7a4 4 0 0 0-4 4v1M7 21.5l-4-4 4-4M3 17.5h14a4 4 0 0 0 4-4v-1',
  ],
  database: [
    ellipse(12, 5.5, 8, 3),
    'M4 5.5v13c0 1.7 3.6 3 8 3s8-1.3 8-3v-13M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  ],
  download: ['M12 4v11M6.5 10.5 12 16l5.5-5.5M4.5 20h15'],
  eye: ['M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z', circle(12, 12, 2.8)],
  flask: [
    'M9 3h6M10 3v6.2L4.6 18.4A1.7 1.7 0 0 0 6.1 21h11.8a1.7 1.7 0 0 0 1.5-2.6L14 9.2V3',
    'M7.5 14.5h9',
  ],
  gauge: ['M4.3 18a9 9 0 1 1 15.4 0M12 14l4-5'],
  graph: [
    circle(12, 5, 2.6),
    circle(5, 18.5, 2.6),
    circle(19, 18.5, 2.6),
    'M10.8 7.4 6.3 16.1M13.2 7.4l4.5 8.7M7.6 18.5h8.8',
  ],
  hand: [
    'M8 12V5.5a1.5 1.5 0 0 1 3 0V11M11 10.5V4a1.5 1.5 0 0 1 3 0v6.5',
    'M14 10.5V5.5a1.5 1.5 0 0 1 3 0V12M17 12V8.5a1.5 1.5 0 0 1 3 0V15',
    'a6.5 6.5 0 0 1-6.5 6.5h-1.7a6 6 0 0 1-4.6-2.2L3.9 15a1.6 1.6 0 0 1 2.4-2.1L8 14.6',
  ],
  hourglass: ['M5.5 3h13M5.5 21h13M17 3v3.5L12 12 7 6.5V3M7 21v-3.5L12 12l5 5.5V21'],
  key: [circle(7.5, 15.5, 4.5), 'M10.8 12.2l9.2-9.2M16 7l3.5 3.5M13.5 9.5l2 2'],
  keyboard: [box(2.5, 5.5, 19, 13, 2), 'M6.5 9.5v.1M10.2 9.5v.1M13.8 9.5v.1M17.5 9.5v.1M8 14.5h8'],
  layers: ['M12 3l9 4.8-9 4.8-9-4.8L12 3ZM3 12.3l9 4.8 9-4.8M3 16.7l9 4.8 9-4.8'],
  lock: [box(4, 10.5, 16, 10.5, 2), 'M8 10.5V7a4 4 0 0 1 8 0v3.5'],
  'lock-open': [box(4, 10.5, 16, 10.5, 2), 'M8 10.5V7a4 4 0 0 1 7.6-1.7'],
  locks: [box(4, 10.5, 16, 10.5, 2.5), 'M8 10.5V7a4 4 0 0 1 8 0v3.5M12 15v1.5'],
  monitor: [box(2.5, 4, 19, 13, 2), 'M8.5 21h7M12 17v4'],
  moon: ['M20.5 14.3A8.6 8.6 0 1 1 9.7 3.5a6.8 6.8 0 0 0 10.8 10.8Z'],
  pencil: ['M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19 4 20ZM13.5 7l3.5 3.5'],
  play: ['M7 4.5v15l12-7.5-12-7.5Z'],
  plus: ['M12 5v14M5 12h14'],
  menu: ['M4 7h16M4 12h16M4 17h16'],
  process: [
    box(5.5, 5.5, 13, 13, 2),
    box(9.5, 9.5, 5, 5, 0.8),
    'M9 2.5v3M15 2.5v3M9 18.5v3M15 18.5v3M2.5 9h3M2.5 15h3M18.5 9h3M18.5 15h3',
  ],
  question: [circle(12, 12, 9), 'M9.4 9.3a2.7 2.7 0 0 1 5.2.9c0 1.8-2.6 2.3-2.6 3.6M12 16.9v.1'],
  queue: ['M4 6h10M4 12h10M4 18h10M18 9l3 3-3 3'],
  rate: ['M5 20v-7M12 20V5M19 20V10'],
  refresh: [
    'M20.5 5v5h-5M3.5 19v-5h5M20 10a8.3 8.3 0 0 0-14.2-3.4L3.5 9',
    'M4 14a8.3 8.3 0 0 0 14.2 3.4l2.3-2.4',
  ],
  search: [circle(10.8, 10.8, 7.3), 'M16.2 16.2l5 5'],
  settings: [
    circle(12, 12, 3),
    'M19.4 13.8l1.7 1.3-1.9 3.4-2-.8a7.6 7.6 0 0 1-2.6 1.5l-.3 2.1h-4l-.3-2.1',
    'a7.6 7.6 0 0 1-2.6-1.5l-2 .8-1.9-3.4 1.7-1.3a7.7 7.7 0 0 1 0-3.3L3.5 9.2',
    'l1.9-3.4 2 .8A7.6 7.6 0 0 1 10 5.1l.3-2.1h4l.3 2.1a7.6 7.6 0 0 1 2.6 1.5',
    'l2-.8 1.9 3.4-1.7 1.3a7.7 7.7 0 0 1 0 3.3Z',
  ],
  shield: [
    'M12 3 5 5.8v5.4c0 4.4 2.9 8 7 9.8 4.1-1.8 7-5.4 7-9.8V5.8L12 3Z',
    'M9 11.8l2.2 2.1L15.2 9.6',
  ],
  'sign-out': ['M9.5 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4.5M16 17l5-5-5-5M21 12H9.5'],
  snowflake: [
    'M12 2.5v19M3.8 7.2l16.4 9.6M20.2 7.2 3.8 16.8M9 4l3 2.8L15 4M9 20l3-2.8 3 2.8',
    'M4.2 11l3.4-1.4-.5-3.9M19.8 13l-3.4 1.4.5 3.9M19.8 11l-3.4-1.4.5-3.9',
    'M4.2 13l3.4 1.4-.5 3.9',
  ],
  stop: [box(6, 6, 12, 12, 2)],
  sun: [
    circle(12, 12, 4),
    'M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4',
    'M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4',
  ],
  timer: ['M9.5 2.5h5M12 9.5v4.5M12 22a8.3 8.3 0 1 0 0-16.6A8.3 8.3 0 0 0 12 22Z'],
  'timer-off': [
    'M9.5 2.5h5M4.6 9.3a8.3 8.3 0 0 0 11.6 10.8M9 5.9a8.3 8.3 0 0 1 10.4 10.4M12 9.5v1.8',
    'M3 3l18 18',
  ],
  ban: [circle(12, 12, 9), 'M5.6 5.6l12.8 12.8'],
  unplug: [
    'M19 5l3-3M2 22l3-3M6.3 20.3a2.4 2.4 0 0 0 3.4 0L12 18l-6-6-2.3 2.3a2.4 2.4 0 0 0 0 3.4Z',
    'M7.5 13.5 10 11M10.5 16.5 13 14',
    'M12 6l6 6 2.3-2.3a2.4 2.4 0 0 0 0-3.4l-2.6-2.6a2.4 2.4 0 0 0-3.4 0Z',
  ],
  user: [circle(12, 8, 4.5), 'M4 21a8 8 0 0 1 16 0'],
  users: [
    circle(9.5, 8, 4.5),
    'M2 21a7.5 7.5 0 0 1 15 0M16.5 4a4.5 4.5 0 0 1 0 8M19 14.6a7.5 7.5 0 0 1 3.2 5.4',
  ],
} satisfies Record<string, string[]>;

export type IconName = keyof typeof ICON_PATHS;

/** An icon beside a word that says the same; assistive technology reads only the word. */
export function Icon({
  name,
  size = 16,
  className = '',
}: {
  name: IconName;
  size?: number;
  className?: string;
}) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={size <= 14 ? 2.1 : 1.9}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={ICON_PATHS[name].join(' ')} />
    </svg>
  );
}
