import { dialects, generateMigration } from './checks/migrations-in-step.mjs';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { projectRoot } from './project-root.mjs';

/** `npm run db:generate -- name`: writes the next migration of both dialects. */
async function generateForBoth(name) {
  if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name ?? '')) {
    throw new PlainFailure(
      'Name the change, in words_like_these: npm run db:generate -- add_freezes',
    );
  }
  for (const dialect of dialects) {
    const { code, output } = await generateMigration(projectRoot, dialect, { name });
    process.stdout.write(`${output.trim()}\n`);
    if (code !== 0) throw new PlainFailure(`The ${dialect} migration was not written.`);
  }
}

generateForBoth(process.argv[2]).catch(endWith);
