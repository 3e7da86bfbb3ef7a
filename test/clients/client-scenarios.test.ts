import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { LANGUAGES } from './languages';
import { ScenarioBench } from './scenario-bench';
import { SCENARIOS } from './scenarios/all-scenarios';

describe.each(LANGUAGES)('with the client in $language', (language) => {
  let bench: ScenarioBench;
  beforeAll(async () => {
    bench = await ScenarioBench.open(language);
  }, 300_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin());

  test.each(SCENARIOS)('%s', (_, play) => play(bench));
});
