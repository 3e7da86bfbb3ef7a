import { expect, test } from 'vitest';
import { readConfig } from './config';

test.each([
  ['LOCKYARD_BACKEND_A', 'LOCKYARD_BACKEND_A is empty; it must begin with'],
  ['LOCKYARD_GATE_A', 'LOCKYARD_GATE_A must be a URL'],
  ['LOCKYARD_WITNESS_A', 'LOCKYARD_WITNESS_A must be a URL'],
  ['LOCKYARD_WEBHOOK_A', 'LOCKYARD_WEBHOOK_A must be a URL'],
])('%s whose file is not named is refused, and not left out', (name, line) => {
  expect(() => readConfig({ [`${name}_FILE`]: '' })).toThrow(line);
});
