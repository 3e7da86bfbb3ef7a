/**
 * Starts private servers for stores that the environment does not name. `starters` maps the
 * variable that names a server to the function that starts one.
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
