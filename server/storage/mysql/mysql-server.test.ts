import { expect, it } from 'vitest';
import { mysqlServer } from './mysql-server';

it.each([
  ['10.11.6-MariaDB-0+deb12u1', true],
  ['10.5.0-MariaDB', true],
  ['10.6.14-MariaDB-log', true],
  ['11.4.2-MariaDB-ubu2404', true],
  ['12.0.2-MariaDB', true],
  ['10.4.34-MariaDB', false],
  ['5.5.68-MariaDB', false],
  ['8.0.36', false],
  ['8.4.0-commercial', false],
  ['11.2.0', false],
  ['', false],
])('a server that says it is "%s" is asked for INSERT … RETURNING: %s', (version, expected) => {
  expect(mysqlServer([[16_777_216, version]])).toEqual({
    packetBytesMax: 16_777_216,
    hasReturning: expected,
  });
});
