/**
 * The code of an error of the operating system or of Node, such as `ENOENT`; empty if it has none.
 */
export function errorCode(error: unknown): string {
  const isCoded = error instanceof Error && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : '';
}
