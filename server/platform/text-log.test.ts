import { expect, test } from 'vitest';
import { createLog, type LogSettings } from './log';

/** A log with what was written to it. */
function logged(settings: LogSettings) {
  const written: string[] = [];
  return { log: createLog({ write: (line) => void written.push(line) }, settings), written };
}

test('JSON is the default: one object a line, from info up', () => {
  const { log, written } = logged({});
  log.debug('not shown');
  log.info({ backend: 'orders' }, 'Ready');
  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    { level: 30, backend: 'orders', msg: 'Ready' },
  ]);
});

test('text has instant, level, message and fields in one line, then the stack of an error', () => {
  const { log, written } = logged({ format: 'text', level: 'debug' });
  log.debug({ job: 'follow orders', rows: 3 }, 'Read');
  const err = Object.assign(new Error('gone', { cause: new Error('reset\nby peer') }), {});
  log.warn({ err, job: 'follow orders' }, 'A background job failed, retrying');
  expect(written[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z DEBUG Read job="follow orders" rows=3\n$/);
  const [head, ...stack] = (written[1] ?? '').split('\n');
  expect(head).toMatch(/Z WARN {2}A background job failed, retrying job="follow orders" err=gone$/);
  expect(stack.join('\n')).toMatch(/^ +at .*[\s\S]*caused by: reset by peer\n +at /);
});

test('a secret is left out of text too, and a message cannot imitate another line', () => {
  const { log, written } = logged({ format: 'text', level: 'warn' });
  log.info('not shown');
  log.error({ password: 'plough the seventh field', owner: 'a\n2026 INFO b' }, 'Oh\nno');
  expect(written).toHaveLength(1);
  expect(written[0]).not.toContain('plough');
  expect(written[0]?.match(/\n/g)).toHaveLength(1);
});

test('a text of a caller cannot steer the terminal that shows the log', () => {
  const { log, written } = logged({ format: 'text' });
  const steering = 'a\u001b[2J\u009b2J\u202e\u2028\u200bz';
  const err = new Error(steering, { cause: new Error(steering) });
  log.warn({ name: steering, owners: [steering], [steering]: 1, err }, steering);
  const text = written.join('');
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(text).toContain('a\\u{1b}[2J\\u{9b}2J\\u{202e}\\u{2028}\\u{200b}z');
});
