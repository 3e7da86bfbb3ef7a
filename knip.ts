import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  entry: [
    'scripts/{start,build,lockyard,check,test,bench,db-generate,screenshots,simulate,lab,sbom,set-repository}.mjs',
    'scripts/demo/fleet.ts',
    'server/{main,cli/cli}.ts',
    'server/api/pages/process/page-process.ts',
    'server/lab/{lab-process,race/paused-thread}.ts',
    'scripts/lab/lab-command.ts',
    'scripts/suites/report-with-errors.mjs',
    'client/{lockyard.ts,build.mjs,command/lockyard-command.ts}',
    'client/guards/{mysql,sqlite,redis}.ts',
    'client/guards/testing/late-writer.ts',
    'bench/{main,http-load}.ts',
    'bench/{http/http-race,looking/steady-callers-load,processes/lock-process}.ts',
    'test/simulator/main.ts',
    'test/clients/typescript-agent.ts',
    'test/traces/traced-callers.ts',
  ],
  project: [
    '{app,bench,client,components,db,e2e,scripts,server,test}/**/*.{ts,tsx,mjs,css}',
    'server/**/*.{lua,sql}',
  ],
  ignoreDependencies: ['@biomejs/biome'],
  ignoreBinaries: ['go', 'mkfifo', 'openssl', 'prlimit', 'script', 'unshare'],
  ignoreExportsUsedInFile: {
    interface: true,
    type: true,
  },
  // Lua and SQL import nothing: a file of them is used if it is imported.
  compilers: { lua: () => '', sql: () => '' },
  drizzle: {
    config: ['drizzle.config.ts'],
    entry: ['db/{mysql/mysql,sqlite/sqlite}-schema.ts'],
  },
  playwright: {
    config: ['e2e/playwright.config.ts'],
    entry: ['e2e/**/*.spec.ts'],
  },
};

export default config;
