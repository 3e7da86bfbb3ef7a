import { expect, test } from 'vitest';
import { readConfig } from './config';

test.each([
  ['http://h/pods', 'must be a URL with {pod} or {ciRun}'],
  ['http://h/{pod}/{owner}', ': {owner} must be one of'],
  ['file:///{pod}', 'must be a URL that begins with http'],
  ['http://{pod}.internal/', ': placeholders must be in'],
  ['http://{pod}@internal/', ': placeholders must be in'],
  // A fragment is not sent, so one answer would report all pods as dead.
  ['http://internal/#{pod}', ': placeholders must be in'],
  ['http://h:6000/{pod}', ': port 6000 cannot be used'],
  ['https://a:1%@h/{pod}', ': its user or password'],
])(
  'a mistake in the URL of a witness, as in %s, is one line that names its variable',
  (url, why) => {
    const reading = () => readConfig({ LOCKYARD_WITNESS_A: url });
    expect(reading).toThrow(why);
    expect(reading).toThrow(/^LOCKYARD_WITNESS_A[^\n]*$/);
  },
);
