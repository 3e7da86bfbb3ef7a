import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { complaintsAboutExample } from '../high-availability/example-haproxy';
import { makeCertificate } from '../real-proxy';

/** The tools, in tested versions. They are downloaded only for this test. */
const COMPOSE_GO = 'github.com/compose-spec/compose-go/v2/cli@v2.9.0';
const KUBERNETES_VALIDATE = 'kubernetes-validate==1.34.1';
const KUBERNETES_VERSIONS = ['1.28', '1.34'];

const FETCHED_WITHIN_MS = 300_000;
const deploy = join(import.meta.dirname, '../../deploy');
const folder = mkdtempSync(join(tmpdir(), 'lockyard-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, args: string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
};

test('HAProxy accepts its configuration', () => {
  makeCertificate(folder);
  expect(complaintsAboutExample(join(folder, 'locks.example.com.both.pem'))).toBe('');
});

test('systemd accepts the unit, and rates it as well protected', () => {
  const text = readFileSync(join(deploy, 'lockyard.service'), 'utf8');
  const unit = join(folder, 'lockyard.service');
  // systemd checks that the program and its folder exist on this machine.
  const here = text.replaceAll('/usr/bin/node', process.execPath);
  writeFileSync(unit, here.replace('/opt/lockyard', folder));
  const analyze = findProgram(['systemd-analyze']) ?? '';
  expect(run(analyze, ['verify', '--man=no', unit])).toEqual({ status: 0, said: '' });
  const { status, said } = run(analyze, ['security', '--offline=yes', '--threshold=25', unit]);
  expect(status, said).toBe(0);
});

test(
  'the reference implementation of the Compose specification loads the compose file',
  () => {
    const program = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions([]string{os.Args[1]})
	if err == nil {
		project, failure := options.LoadProject(context.Background())
		if err = failure; err == nil {
			fmt.Println(project.ServiceNames())
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`;
    writeFileSync(join(folder, 'main.go'), program);
    writeFileSync(join(folder, 'go.mod'), 'module tried\n');
    execFileSync('go', ['get', COMPOSE_GO], { cwd: folder, stdio: 'pipe' });
    const loaded = run('go', ['run', '-mod=mod', '.', join(deploy, 'compose.yaml')]);
    expect(loaded).toEqual({ status: 0, said: '[database haproxy lockyard-1 lockyard-2]\n' });
  },
  FETCHED_WITHIN_MS,
);

/** Programs that read compose files and are installed here. */
const composers = ['docker', 'podman'].filter((name) => {
  const program = findProgram([name]);
  return program !== null && spawnSync(program, ['compose', 'version']).status === 0;
});

test.each(composers)('%s compose accepts the compose file', (program) => {
  const { status, said } = run(program, ['compose', '-f', join(deploy, 'compose.yaml'), 'config']);
  expect(status, said).toBe(0);
});

test(
  'the manifests pass the schemas of Kubernetes, strictly',
  () => {
    const target = join(folder, 'python');
    const install = ['-m', 'pip', 'install', '--quiet', '--target', target, KUBERNETES_VALIDATE];
    execFileSync('python3', install, { stdio: 'pipe' });
    const names = ['config-map', 'deployment', 'pod-disruption-budget', 'service'];
    for (const version of KUBERNETES_VERSIONS) {
      for (const name of names) {
        const path = join(deploy, `kubernetes/${name}.yaml`);
        const args = ['-m', 'kubernetes_validate', '--strict', '-k', version, path];
        const { status, said } = run('python3', args, { PYTHONPATH: target });
        expect([version, name, status], said).toEqual([version, name, 0]);
      }
    }
  },
  FETCHED_WITHIN_MS,
);
