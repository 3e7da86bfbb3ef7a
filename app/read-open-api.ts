import type { OpenApiDocument } from '@/server/api/rpc/openapi/openapi-shape';
import { fetchOverSocket } from './fetch-over-socket';

/** The description of the service API, as the server gives it to everybody. */
export async function readOpenApi(headers: Headers): Promise<OpenApiDocument> {
  const reply = await fetchOverSocket(headers)('http://console/api/v1/openapi.json');
  return (await reply.json()) as OpenApiDocument;
}
