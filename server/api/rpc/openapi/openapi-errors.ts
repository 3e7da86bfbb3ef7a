import { REASON_LABELS, type Reason } from '../../../contract/errors';
import { ERROR_TABLE, retryAfterOf } from '../error-table';
import type { Header, JsonSchema, Response } from './openapi-shape';

export const REQUEST_ID_HEADER: Header = {
  description: 'Names this request in the server’s log. The same as `error.data.requestId`.',
  required: true,
  schema: { type: 'string' },
};

const RETRY_AFTER_HEADER: Header = {
  description: 'When to try again, in whole seconds; `error.data.retryAfterMs` is exact.',
  required: true,
  schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
};

/** The shape of every refusal. */
export const errorSchema = (): JsonSchema => ({
  type: 'object',
  description: 'A refusal. `error.data.reason` is a contract; the message is for people.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'code', 'data'],
      properties: {
        message: { type: 'string', description: 'For people. It names no secret.' },
        code: { type: 'integer', description: 'JSON-RPC’s number for `data.code`.' },
        data: {
          type: 'object',
          required: ['code', 'httpStatus', 'reason', 'requestId'],
          properties: {
            code: { type: 'string', description: 'tRPC’s own name for the status.' },
            httpStatus: { type: 'integer' },
            reason: { type: 'string', enum: Object.keys(REASON_LABELS) },
            path: { type: 'string', description: 'The procedure, where one was reached.' },
            retryAfterMs: {
              type: 'integer',
              minimum: 1,
              description: 'When to try again, in milliseconds. Always there with 429 and 503.',
            },
            requestId: { type: 'string', description: 'As in the header X-Request-Id.' },
          },
        },
      },
    },
  },
});

/** What a refusal with this status says. */
export function errorResponse(status: number, reasons: Reason[]): Response {
  const mayRetry = reasons.some((reason) => retryAfterOf(reason) !== undefined);
  const codes = [...new Set(reasons.map((reason) => ERROR_TABLE[reason].code))];
  const data: JsonSchema = {
    type: 'object',
    ...(mayRetry && { required: ['retryAfterMs'] }),
    properties: {
      httpStatus: { const: status },
      reason: { enum: reasons },
      code: { enum: codes },
    },
  };
  const error: JsonSchema = { type: 'object', properties: { data } };
  const narrowed: JsonSchema = { type: 'object', properties: { error } };
  return {
    description: reasons.map((reason) => `\`${reason}\`: ${REASON_LABELS[reason]}`).join('\n\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(mayRetry && { 'Retry-After': RETRY_AFTER_HEADER }),
    },
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Error' }, narrowed] },
      },
    },
  };
}
