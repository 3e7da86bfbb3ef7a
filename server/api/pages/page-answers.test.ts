import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock';
import { PageAnswers } from './page-answers';
import { PageRelay } from './process/page-relay';

test('pages that cannot be rendered at start do not end the start', async () => {
  const warnings: string[] = [];
  const log = { warn: (_: unknown, text: string) => warnings.push(text) };
  const runtime = { clock: systemClock, metrics: { add: () => undefined }, log };
  const relay = new PageRelay('/proc/nothing-listens-here');
  const pages = new PageAnswers({ runtime, relay } as never);
  await pages.prepare();
  expect(warnings).toEqual([expect.stringContaining('rendered when it is requested')]);
  relay.close();
});
