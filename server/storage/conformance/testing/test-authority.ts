import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEY_STORE_PASSWORD = 'plough-the-field';

/** A private certificate authority and its certificates, as files in a temporary folder. */
export class TestAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'lockyard-ca-'));
  /** Its own certificate, in PEM. */
  readonly file = join(this.folder, 'ca.pem');

  constructor() {
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', this.at('ca.key')];
    this.openssl('req', '-x509', ...key, '-out', this.file, '-days', '2', '-subj', '/CN=A test');
  }

  /** @param subject such as `DNS:localhost` or `IP:127.0.0.1` */
  sign(subject: string) {
    const [key, request, cert, names, store] = [
      'server.key',
      'server.csr',
      'server.pem',
      'names',
      'server.p12',
    ].map((name) => this.at(name)) as [string, string, string, string, string];
    const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key];
    this.openssl('req', ...made, '-out', request, '-subj', '/CN=A server');
    writeFileSync(names, `subjectAltName=${subject}\n`);
    const by = ['-CA', this.file, '-CAkey', this.at('ca.key'), '-CAcreateserial'];
    const what = ['-req', '-in', request, '-days', '2', '-extfile', names, '-out', cert];
    this.openssl('x509', ...what, ...by);
    const both = ['-inkey', key, '-in', cert, '-passout', `pass:${KEY_STORE_PASSWORD}`];
    this.openssl('pkcs12', '-export', ...both, '-out', store);
    return { key, cert, keyStore: { file: store, password: KEY_STORE_PASSWORD } };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private at(name: string): string {
    return join(this.folder, name);
  }

  private openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: 'pipe' });
  }
}
