/** How a promise ended, as a value. */
export type Settled<T> = { value: T } | { error: unknown };

export async function settle<T>(run: () => Promise<T> | T): Promise<Settled<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}
