import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ANSWER_NEEDS } from '@/client/wire/answer-needs';
import { openApiDocument } from '@/server/contract/openapi/openapi-document';
import { answerNeeds } from './answer-needs';
import { apiShapes } from './api-shapes';
import { generatedFiles } from './generated-files';

test.each(Object.entries(generatedFiles()))(
  '%s is what the description of the API makes; npm run clients:generate writes it',
  (path, text) => {
    expect(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).toBe(text);
  },
);

test('the client for Node checks the same fields of an answer as those in other languages', () => {
  const { 'witness.report': _, ...ofServices } = ANSWER_NEEDS;
  expect(ofServices).toEqual(answerNeeds(apiShapes(openApiDocument())));
});
