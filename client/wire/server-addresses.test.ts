import { expect, test } from 'vitest';
import { ServerAddresses } from './server-addresses';

const [a, b, c] = ['http://a:3000', 'https://b', 'http://[::1]:3000/locks'];

test('one address, or several in the order given, with or without blanks and slashes', () => {
  expect(ServerAddresses.read(`${a}//`).inOrder()).toEqual([a]);
  const addresses = ServerAddresses.read(` ${a}/ ,${b},\n${c}/`);
  expect(addresses.inOrder()).toEqual([a, b, c]);
  expect(String(addresses)).toBe(`${a},${b},${c}`);
  expect(ServerAddresses.read(String(addresses)).inOrder()).toEqual([a, b, c]);
});

test('after a failure the next address is used, once, however many calls notice', () => {
  const addresses = ServerAddresses.read([a, b, c].join());
  addresses.leave(a);
  addresses.leave(a);
  addresses.leave(c);
  expect(addresses.inOrder()).toEqual([b, c, a]);
  addresses.leave(b);
  addresses.leave(c);
  expect(addresses.inOrder()).toEqual([a, b, c]);
  expect(String(addresses)).toBe(`${a},${b},${c}`);
});

test.each([
  ['', "Lockyard's URL is empty"],
  ['lyk_secret', "Lockyard's URL must be an http or https URL"],
  ['redis://:secret@a', 'http or https URL'],
  ['http://me:secret@a', 'user or a password'],
  ['http://a/?key=secret', 'query or a fragment'],
  ['http://a#secret', 'query or a fragment'],
  [`${a},`, "Entry 2 of Lockyard's URLs is empty"],
  [`${a},,${b}`, 'Entry 2 of'],
  [`${a};${b}`, 'http or https URL'],
  [`${a},b:3000`, 'Entry 2 of'],
  [`${a},secret`, 'Entry 2 of'],
  [`${a},${b},${a}/`, "Entry 3 of Lockyard's URLs repeats an earlier one"],
])('%j is refused in plain words, without quoting what may be a secret', (text, message) => {
  const read = () => ServerAddresses.read(text);
  expect(read).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  expect(read).toThrow(message);
  expect(read).not.toThrow(/secret/);
});
