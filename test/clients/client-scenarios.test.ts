import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { LANGUAGES, TYPESCRIPT } from './languages';
import { ScenarioBench } from './scenario-bench';
import { SCENARIOS } from './scenarios/all-scenarios';
import { SINCE_LAST_VERSION } from './scenarios/since-last-version';
import { TRACING } from './scenarios/tracing';

describe.each(LANGUAGES)('with the client in $language', (language) => {
  let bench: ScenarioBench;
  beforeAll(async () => {
    bench = await ScenarioBench.open(language);
  }, 300_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin());

  test.each(SCENARIOS)('%s', (_, play) => play(bench));
  test.each(Object.entries(SINCE_LAST_VERSION))('%s', (_, play) => play(bench));

  // The client for Node creates its own spans: test/traces covers them.
  const isGivenTraces = language.language !== TYPESCRIPT;
  test.runIf(isGivenTraces).each(Object.entries(TRACING))('%s', (_, play) => play(bench));
});
