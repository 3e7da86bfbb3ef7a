import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { metaWith, processMeta } from './process-meta';

const { pid } = process;

let proc: string;

beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'lockyard-proc-'));
});
afterEach(() => rmSync(proc, { recursive: true, force: true }));

/** A `/proc` with this process in it. */
function furnish({ self = String(pid), time = '4026531834' } = {}) {
  mkdirSync(join(proc, 'sys/kernel/random'), { recursive: true });
  writeFileSync(join(proc, 'sys/kernel/random/boot_id'), '12e93e48-dfe0-4750-ad11-60da4f9dcf82\n');
  mkdirSync(join(proc, self, 'ns'), { recursive: true });
  symlinkSync('pid:[4026532178]', join(proc, self, 'ns/pid'));
  symlinkSync(`time:[${time}]`, join(proc, self, 'ns/time'));
  symlinkSync(self, join(proc, 'self'));
  mkdirSync(join(proc, String(pid)), { recursive: true });
  const more = Array.from({ length: 30 }, (_, i) => String(1_000 + i)).join(' ');
  const start = more.replace('1018', '881234');
  writeFileSync(join(proc, String(pid), 'stat'), `${pid} (a) b (c) S ${start}\n`);
}

describe('a process', () => {
  test('names its boot, its process id namespace and its start, whatever its program name', () => {
    furnish();
    expect(processMeta({}, proc)).toMatchObject({
      bootId: '12e93e48-dfe0-4750-ad11-60da4f9dcf82',
      pidNamespace: '4026532178',
      pid: String(pid),
      pidStart: '881234',
    });
  });

  test.each([
    ['off Linux', () => undefined],
    ['with the /proc of another namespace', () => furnish({ self: '999999' })],
    ['in another time namespace', () => furnish({ time: '4026533000' })],
  ])('%s names host and pid only, which prove nothing', (_, arrange) => {
    arrange();
    expect(Object.keys(processMeta({}, proc)).sort()).toEqual(['host', 'pid']);
  });

  test('names its pod and its CI run', () => {
    const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', HOSTNAME: 'web-0' };
    expect(processMeta(inPod, proc)).toMatchObject({ pod: 'web-0' });
    expect(processMeta({ ...inPod, POD_NAME: 'web-1' }, proc)).toMatchObject({ pod: 'web-1' });
    expect(processMeta({ ...inPod, POD_NAME: '' }, proc)).toMatchObject({ pod: 'web-0' });
    expect(processMeta({ GITHUB_RUN_ID: '77' }, proc)).toMatchObject({ ciRun: '77' });
    const plain = processMeta({ HOSTNAME: 'web-0' }, proc);
    expect([plain.pod, plain.ciRun]).toEqual([undefined, undefined]);
  });

  test('names a CI run by whole characters, however long it is', () => {
    const run = `${'x'.repeat(99)}🔒 and more`;
    expect(processMeta({ BUILD_TAG: run }, proc).ciRun).toBe(`${'x'.repeat(99)}🔒`);
  });
});

describe('the meta of a hold', () => {
  const identity = { host: 'a', pid: '7', version: '1', bootId: 'b', pidStart: '9' };

  test('has the identity of the process; entries of the caller take precedence', () => {
    expect(metaWith(identity, { task: 'x', version: '2' })).toEqual({
      ...identity,
      task: 'x',
      version: '2',
    });
  });

  test('has no identity if the caller needs the room', () => {
    const own = { task: 'x'.repeat(970) };
    expect(metaWith(identity, own)).toEqual({ host: 'a', pid: '7', version: '1', ...own });
  });
});
