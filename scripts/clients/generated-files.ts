import { openApiDocument } from '@/server/contract/openapi/openapi-document';
import { apiShapes } from './api-shapes';
import { goTypes } from './go-types';
import { javaProcedures, javaTypes } from './java-types';
import { pythonTypes } from './python-types';

const JAVA = 'clients/java/src/main/java/io/lockyard';

/** The generated sources of clients in other languages, from the API's description, by path. */
export function generatedFiles(): Record<string, string> {
  const api = apiShapes(openApiDocument());
  return {
    'clients/python/lockyard/wire.py': pythonTypes(api),
    'clients/go/wire.go': goTypes(api),
    [`${JAVA}/Wire.java`]: javaTypes(api),
    [`${JAVA}/Procedures.java`]: javaProcedures(api),
  };
}
