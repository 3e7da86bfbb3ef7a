import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from './generated-files';

test.each(Object.entries(generatedFiles()))(
  '%s is what the description of the API makes; npm run clients:generate writes it',
  (path, text) => {
    expect(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).toBe(text);
  },
);
