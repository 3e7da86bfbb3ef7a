/**
 * Runs the work, then the release, even if the work fails. If both fail, rejects with the error of
 * the work: that of the release is often only its consequence.
 */
export async function thenRelease<T>(
  work: () => Promise<T>,
  release: () => Promise<unknown>,
): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await release().catch(() => undefined);
    throw error;
  }
  await release();
  return result;
}
