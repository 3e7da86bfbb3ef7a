import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { type Image, inside } from './container-steps';

const isRoot = process.getuid?.() === 0;

/** Programs of an image, each as a container starts it: with only its own environment, no home. */
export class ImagePrograms {
  private readonly children: ChildProcess[] = [];

  /** @param volume a new folder, made with the mode and the owner of the folder that it covers */
  constructor(
    private readonly image: Image,
    private readonly volume: string,
    private readonly port: number,
  ) {
    const { mode, uid, gid } = statSync(inside(image, image.volume ?? ''));
    mkdirSync(volume, { mode });
    chownSync(volume, uid, gid);
  }

  /** Starts a program as the image's user, where only the volume can be written. */
  start(command: string[]): ChildProcess {
    const { image, volume } = this;
    const mounts = [
      `mount --bind '${image.root}' '${image.root}'`,
      `mount --bind '${volume}' '${inside(image, image.volume ?? '')}'`,
      `mount -o remount,ro,bind '${image.root}'`,
      `cd '${inside(image, image.workdir)}'`,
    ];
    const { uid = 0, gid = 0 } = image.user ?? {};
    // A user other than root cannot change to another one.
    const asUser = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
    const script = `${mounts.join(' && ')} && exec "$@"`;
    const own = isRoot ? [] : ['--user', '--map-root-user'];
    const program = command.map((word) => (word === 'node' ? process.execPath : word));
    const child = spawn(
      'unshare',
      [...own, '--mount', 'sh', '-c', script, 'container', ...asUser, ...program],
      { env: this.environment(), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.children.push(child);
    return child;
  }

  /** Runs a program to its end, and returns its exit code. */
  run(command: string[]): Promise<number | null> {
    return ended(this.start(command));
  }

  async close(): Promise<void> {
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }

  private environment(): NodeJS.ProcessEnv {
    const { env } = this.image;
    return {
      ...env,
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(this.port),
      LOCKYARD_DATA_DIR: inside(this.image, env.LOCKYARD_DATA_DIR ?? ''),
    };
  }
}

/** The exit code of a program, once it has ended. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}
