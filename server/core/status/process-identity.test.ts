import { describe, expect, test } from 'vitest';
import { witnessedProcess } from '../../contract/witness';
import { hostKey, metaAfterReentry, processKey, processOf } from './process-identity';

const whole = {
  host: 'host-4',
  bootId: '12e93e48-dfe0-4750-ad11-60da4f9dcf82',
  pidNamespace: '4026531836',
  pid: '4127',
  pidStart: '881234',
};

describe('the process that a hold names', () => {
  test('is known only if everything about it is named', () => {
    expect(processOf({ ...whole, version: '1' })).toEqual(whole);
    for (const field of Object.keys(whole)) {
      const { [field as 'pid']: _, ...rest } = whole;
      expect(processOf(rest), field).toBeNull();
      expect(processOf({ ...whole, [field]: '' }), field).toBeNull();
    }
    for (const pid of ['0', '-1', '1e3', '012', '4127 ']) {
      expect(processOf({ ...whole, pid }), pid).toBeNull();
    }
  });

  test('is one that a witness can report: no other claim of a hold names a process', () => {
    const reported = (pid: string) => {
      const named = { pid: Number(pid), pidStart: whole.pidStart };
      return witnessedProcess.safeParse({ ...named, state: 'dead', evidence: '' }).success;
    };
    for (const pid of ['1', '4194304', '4194305', '9999999999']) {
      expect(processOf({ ...whole, pid }) !== null, pid).toBe(reported(pid));
    }
  });

  test('differs by host, boot, process id namespace or start', () => {
    const others = [
      { host: 'host-5' },
      { bootId: '0a393e48-dfe0-4750-ad11-60da4f9dcf82' },
      { pidNamespace: '4026532178' },
    ].map((other) => ({ ...whole, ...other }));
    const reused = { ...whole, pidStart: '990001' };
    const keys = [whole, ...others, reused, { ...whole, pid: '4128' }].map(processKey);
    expect(new Set(keys).size).toBe(6);
    expect(new Set([whole, ...others].map(hostKey)).size).toBe(4);
    expect(hostKey(reused)).toBe(hostKey(whole));
  });
});

describe('a re-entered hold', () => {
  const held = { ...whole, pod: 'web-0', ciRun: '77', task: 'a' };

  test('by the same process still names it', () => {
    expect(metaAfterReentry(held, { ...whole, pod: 'web-0', ciRun: '77' })).toBe(held);
  });

  test('by another process names no process that could be proven dead', () => {
    const { pod, ciRun, host, pid, task } = held;
    const other = { ...whole, pid: '5000', pidStart: '990001', pod, ciRun };
    expect(metaAfterReentry(held, other)).toEqual({ host, pid, pod, ciRun, task });
    expect(processOf(metaAfterReentry(held, other))).toBeNull();
    expect(metaAfterReentry(held, {})).toEqual({ host, pid, task });
  });
});
