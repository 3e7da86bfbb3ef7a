import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './generated-files';

/**
 * `npm run clients:generate`: writes the files generated from the API's description, for each
 * language.
 */
for (const [path, text] of Object.entries(generatedFiles())) {
  writeFileSync(join(import.meta.dirname, '../..', path), text);
  process.stdout.write(`${path}\n`);
}
