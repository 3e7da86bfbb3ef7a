import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';

const java = join(import.meta.dirname, '../../clients/java');
const run = promisify(execFile);

test('the client for Java is correct with interrupts, nulls, short leases and TLS', async () => {
  const classes = await mkdtemp(join(tmpdir(), 'lockyard-java-'));
  try {
    const folder = join(java, 'src/main/java/io/lockyard');
    const sources = (await readdir(folder)).map((name) => join(folder, name));
    const options = ['--release', '11', '-encoding', 'UTF-8', '-Werror', '-d', classes];
    const tests = ['ScriptedServer', 'ClientTest', 'RenewalTest', 'TlsTest'].map((name) =>
      join(java, `testing/${name}.java`),
    );
    await run('javac', [...options, ...sources, ...tests]);
    const hosts = join(classes, 'hosts');
    await writeFile(hosts, '');
    // No host name can be resolved, not even that of this machine.
    const jvm = ['-XX:TieredStopAtLevel=1', `-Djdk.net.hosts.file=${hosts}`, '-cp', classes];
    await run('java', [...jvm, 'io.lockyard.ClientTest']);
    await run('java', [...jvm, 'io.lockyard.TlsTest', classes]);
  } finally {
    await rm(classes, { recursive: true, force: true });
  }
}, 120_000);
