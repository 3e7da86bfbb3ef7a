/**
 * The health check of the container image: exits 0 if the server in this container answers, else 1.
 * It checks whether the process is alive, not whether its database answers, since a restart helps
 * only with the former.
 */
import { get } from 'node:http';

const { HOST = '', PORT } = process.env;
const everyAddress = ['', '0.0.0.0', '::'];
const endWith = (code) => () => process.exit(code);

get({
  host: everyAddress.includes(HOST) ? '127.0.0.1' : HOST,
  port: PORT || 3000,
  path: '/api/health/live',
  timeout: 3_000,
})
  .once('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .once('timeout', endWith(1))
  .once('error', endWith(1));
