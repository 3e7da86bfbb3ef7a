import { readdir, readFile } from 'node:fs/promises';

/** How long all threads of a process have run so far, in milliseconds; needs /proc. */
export async function processCpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const spent = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1_000_000;
    }),
  );
  return spent.reduce((sum, ms) => sum + ms, 0);
}
