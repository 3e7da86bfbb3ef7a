/**
 * Why a race could not go on, as a sentence. Messages of the drivers contain no password; they name
 * statements at most.
 */
export function failureOf(error: unknown): string {
  const { code, message = '' } = error as { code?: string; message?: string };
  const first = message.split('\n')[0]?.slice(0, 200);
  const said = first || code || String(error);
  return code && !said.includes(code) ? `${code}: ${said}` : said;
}
