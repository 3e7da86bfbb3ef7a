/**
 * Why a race could not continue, as a sentence. The drivers' messages contain no password; at most
 * they name statements.
 */
export function failureOf(error: unknown): string {
  const { code, message = '' } = error as { code?: string; message?: string };
  const first = message.split('\n')[0]?.slice(0, 200);
  const text = first || code || String(error);
  return code && !text.includes(code) ? `${code}: ${text}` : text;
}
