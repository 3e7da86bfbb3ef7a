import type { ServerResponse } from 'node:http';

export type PageRefusal = 'full' | 'down' | 'away';

const RETRY_AFTER_SECONDS = { full: 3, down: 5, away: 5 };
const WHY = {
  full: 'The server is busy with other pages.',
  down: 'The process that renders pages is starting or not responding.',
  away: 'The control database is not responding, so sessions cannot be checked.',
};

/** Answers 503 with a self-contained page that explains the problem and reloads itself. */
export function refusePage(res: ServerResponse, why: PageRefusal): void {
  const body = Buffer.from(pageOf(why));
  res.writeHead(503, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': String(RETRY_AFTER_SECONDS[why]),
  });
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

const pageOf = (why: PageRefusal) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS[why]}">
<title>Busy · Lockyard</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.5 system-ui, sans-serif;
  background: light-dark(#fefefd, #12181a); color: light-dark(#1c2427, #e6ebec); }
main { max-width: 30rem; padding: 2rem 1.5rem; }
h1 { margin: 0 0 .5rem; font-size: 1.45rem; line-height: 1.3; text-wrap: balance; }
p { margin: 0 0 .75rem; }
</style>
</head>
<body>
<main>
<h1>This page is temporarily unavailable</h1>
<p>${WHY[why]} Retrying every ${RETRY_AFTER_SECONDS[why]} seconds.</p>
<p>Lock requests are still served wherever their backend responds.</p>
</main>
</body>
</html>
`;
