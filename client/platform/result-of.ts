/** How a promise ended, as a value. */
export type Result<T> = { value: T } | { error: unknown };

export async function resultOf<T>(run: () => Promise<T> | T): Promise<Result<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}
