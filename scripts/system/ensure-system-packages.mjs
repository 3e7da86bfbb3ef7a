import { PlainFailure } from '../process/plain-failure.mjs';
import { runChild } from '../process/run-child.mjs';
import { findProgram } from './find-program.mjs';

/**
 * Makes sure that the programs that the tests need are installed. Each need is `{ what,
 * isInstalled(), debianPackage, otherPackage?, variable? }`; `otherPackage` is for systems that
 * lack the first one. Installs with apt-get if that is possible without a prompt; otherwise fails
 * with one line and exit code 2.
 */
export async function ensureSystemPackages(needs, say) {
  const absent = () => needs.filter(({ isInstalled }) => !isInstalled());
  if (absent().length === 0) return;
  const asRoot = await aptAsRoot();
  const tryToInstall = async (packages) => {
    say(`Installing ${packages.join(' and ')} with apt-get …`);
    const { code, output } = await install(asRoot, packages);
    if (code !== 0) say(output.trim());
  };
  if (asRoot) {
    await tryToInstall(absent().map(({ debianPackage }) => debianPackage));
    if (absent().some(({ otherPackage }) => otherPackage)) {
      await tryToInstall(absent().map((need) => need.otherPackage ?? need.debianPackage));
    }
  }
  const unmet = absent();
  if (unmet.length === 0) return;
  const wanted = unmet.map(
    ({ what, debianPackage, variable }) =>
      `${what} (package ${debianPackage}${variable ? `, or name one in ${variable}` : ''})`,
  );
  throw new PlainFailure(`The tests need ${wanted.join(' and ')}.`, 2);
}

/**
 * The same for tests that can be left out. If not all needs can be installed, each is tried on its
 * own. Returns those that are not met.
 */
export async function unmetNeeds(needs, say) {
  for (const group of [needs, ...needs.map((need) => [need])]) {
    try {
      await ensureSystemPackages(group, say);
    } catch (error) {
      if (!(error instanceof PlainFailure)) throw error;
    }
  }
  return needs.filter(({ isInstalled }) => !isInstalled());
}

/** How to call apt-get with the necessary rights; null if that is impossible. */
async function aptAsRoot() {
  const apt = findProgram(['apt-get']);
  if (!apt) return null;
  if (process.getuid?.() === 0) return [apt];
  const { code } = await runChild('sudo', ['-n', 'true']);
  return code === 0 ? ['sudo', '-n', apt] : null;
}

async function install([program, ...before], packages) {
  const apt = (...args) =>
    runChild(program, [...before, '-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  const attempt = () => apt('install', '-y', '--no-install-recommends', ...packages);
  const first = await attempt();
  if (first.code === 0) return first;
  await apt('update');
  return attempt();
}
