import { openApiDocument } from '@/server/contract/openapi/openapi-document';
import { apiShapes } from './api-shapes';
import { pythonTypes } from './python-types';

/** The sources of clients in other languages that are made from the API's description, by path. */
export function generatedFiles(): Record<string, string> {
  const api = apiShapes(openApiDocument());
  return {
    'clients/python/lockyard/wire.py': pythonTypes(api),
  };
}
