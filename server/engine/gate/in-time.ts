/**
 * The gate's answer; rejects if it has not arrived within `limitMs`. The timer can fire late: an
 * answer that has arrived by then still counts.
 */
export async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error('The gate did not answer in time.'));
    timer = setTimeout(() => setImmediate(fail), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
