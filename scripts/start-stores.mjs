/**
 * Starts servers of our own where the environment names none. `starters` holds, by the variable
 * that names a server, how one is started.
 *
 * @returns the URLs of all by their variables, and `stop`, which ends those that were started
 */
export async function startStores(starters) {
  const started = [];
  const urls = {};
  const stop = async () => {
    for (const server of started) await server.stop();
  };
  try {
    for (const [variable, start] of Object.entries(starters)) {
      urls[variable] = process.env[variable];
      if (urls[variable]) continue;
      const server = await start();
      started.push(server);
      urls[variable] = server.url;
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { urls, stop };
}
