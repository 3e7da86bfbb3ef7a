import { describe, expect, test } from 'vitest';
import { isLoopback, NetworkList, networkOf } from './network-list';

const listed = (text: string): NetworkList => {
  const list = NetworkList.parse(text);
  if (typeof list === 'string') throw new Error(list);
  return list;
};

describe('a list of networks', () => {
  test('contains exactly its addresses, also IPv4 ones written as IPv6', () => {
    const list = listed(' 10.1.0.0/16, 192.0.2.7,fd00::/8 , 2001:db8::1');
    for (const address of [
      '10.1.0.0',
      '10.1.255.255',
      '::ffff:10.1.2.3',
      '192.0.2.7',
      'fd12::9',
      '2001:db8::1',
      '2001:0db8:0:0::1',
    ]) {
      expect([address, list.has(address)]).toEqual([address, true]);
    }
    for (const address of [
      '10.2.0.0',
      '192.0.2.8',
      '::ffff:10.2.0.1',
      'fe80::1',
      '2001:db8::2',
      '',
      'unknown',
      '10.1.0',
      '10.1.2.3:80',
    ]) {
      expect([address, list.has(address)]).toEqual([address, false]);
    }
    expect(listed('').has('127.0.0.1')).toBe(false);
    expect(listed('0.0.0.0/0').has('203.0.113.9')).toBe(true);
    expect(listed('0.0.0.0/0').has('2001:db8::1')).toBe(false);
  });

  test.each([
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '::1/129',
    'fe80::1%eth0',
    '10.0.0',
    '*',
    '10.0.0.1:80',
  ])('names what is no network: %s', (text) => {
    expect(NetworkList.parse(`127.0.0.1,${text}`)).toMatch(/^names "/);
  });
});

test('loopback is recognised in every spelling, and nothing that only looks like it', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']) {
    expect(isLoopback(address)).toBe(true);
  }
  for (const address of ['128.0.0.1', '127.evil', '::2', '', '::ffff:10.0.0.1']) {
    expect(isLoopback(address)).toBe(false);
  }
});

test('a network is one address of IPv4 and a /64 of IPv6', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
  for (const mapped of ['::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7']) {
    expect(networkOf(mapped)).toBe('192.0.2.7');
  }
  expect(networkOf('::ffff:0:c000:207')).not.toBe('192.0.2.7');
  expect(networkOf('2001:db8:a:b:1:2:3:4')).toBe(networkOf('2001:0DB8:a:b::9'));
  expect(networkOf('2001:db8:a:c::1')).not.toBe(networkOf('2001:db8:a:b::1'));
  expect(networkOf('fe80::1%eth0')).toBe(networkOf('fe80::2'));
  expect(networkOf('page')).toBe('page');
});
