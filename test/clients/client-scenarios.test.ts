import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { LANGUAGES } from './languages';
import { ScenarioBench } from './scenario-bench';
import { FAILING } from './scenarios/failing';
import { HOLDING } from './scenarios/holding';
import { LOSING } from './scenarios/losing';
import { WAITING } from './scenarios/waiting';

/** One list for the clients in all languages, ours in TypeScript included. */
const SCENARIOS = Object.entries({ ...HOLDING, ...WAITING, ...LOSING, ...FAILING });

describe.each(LANGUAGES)('with the client in $language', (language) => {
  let bench: ScenarioBench;
  beforeAll(async () => {
    bench = await ScenarioBench.open(language);
  }, 300_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin());

  test.each(SCENARIOS)('%s', (_, play) => play(bench));
});
