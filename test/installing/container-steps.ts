import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { copyOf, type Instruction, readContainerfile } from './containerfile';

/** Paths within the image in instructions that run programs: here they are below its root. */
const IMAGE_PATHS = /(?<![\w.])\/(?:opt|var\/lib)\/lockyard/g;

/** An image and its settings. Paths are those within it. */
export interface Image {
  /** The folder of this machine that is its root. */
  root: string;
  workdir: string;
  env: Record<string, string>;
  /** User and group. */
  user: { uid: number; gid: number } | null;
  volume: string | null;
  labels: string;
  healthCheck: string[];
  command: string[];
  stopSignal: string;
}

/** Functions that replace commands of steps. `workdir` is the step's folder on this machine. */
export type InsteadOf = Record<string, (workdir: string) => void>;

/**
 * Runs the steps of `deploy/Containerfile` one by one, as a builder does, in folders of this
 * machine: the base image is this machine itself. Returns the image of the last stage.
 *
 * @param folder an empty one
 * @param context where the files come from
 * @param insteadOf replacements for some of the commands
 */
export function takeSteps(folder: string, context: string, insteadOf: InsteadOf = {}): Image {
  const images = new Map<string, Image>();
  let last: Image | null = null;
  for (const stage of readContainerfile()) {
    last = emptyImage(join(folder, stage.name));
    images.set(stage.name, last);
    for (const instruction of stage.instructions) {
      take(instruction, last, { context, images, insteadOf });
    }
  }
  if (!last) throw new Error('deploy/Containerfile has no stage.');
  return last;
}

/** A path of the image on this machine. */
export const inside = (image: Image, path: string) => join(image.root, path);

function emptyImage(root: string): Image {
  for (const path of ['opt', 'tmp', 'var/lib']) mkdirSync(join(root, path), { recursive: true });
  return {
    root,
    workdir: '/',
    env: {},
    user: null,
    volume: null,
    labels: '',
    healthCheck: [],
    command: [],
    stopSignal: '',
  };
}

interface Surroundings {
  context: string;
  images: Map<string, Image>;
  insteadOf: InsteadOf;
}

function take({ name, text }: Instruction, image: Image, around: Surroundings): void {
  switch (name) {
    case 'WORKDIR':
      image.workdir = text;
      mkdirSync(inside(image, text), { recursive: true });
      return;
    case 'COPY':
      copy(text, image, around);
      return;
    case 'RUN':
      runStep(text, image, around.insteadOf);
      return;
    case 'ENV':
      for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) image.env[key] = value;
      return;
    case 'USER': {
      const [uid = '', gid = ''] = text.split(':');
      image.user = { uid: Number(uid), gid: Number(gid) };
      return;
    }
    case 'HEALTHCHECK':
      image.healthCheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4));
      return;
    case 'ENTRYPOINT':
      image.command = JSON.parse(text);
      return;
    case 'LABEL':
      image.labels += text;
      return;
    case 'VOLUME':
      image.volume = text;
      return;
    case 'STOPSIGNAL':
      image.stopSignal = text;
      return;
    case 'EXPOSE':
      return;
    default:
      throw new Error(`No builder's step is known for ${name}.`);
  }
}

function copy(text: string, image: Image, { context, images }: Surroundings): void {
  const { from, sources, to } = copyOf(text);
  const origin = from === null ? context : images.get(from)?.root;
  if (origin === undefined) throw new Error(`There is no stage ${from}.`);
  const target = join(image.root, image.workdir, to);
  for (const source of sources) {
    const path = join(origin, source);
    if (!existsSync(path)) throw new Error(`There is no ${source} to copy.`);
    // As a builder does: of a folder, its content is copied.
    const isFolder = statSync(path).isDirectory();
    cpSync(path, isFolder ? target : join(target, basename(path)), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

/** Only root may change the owner of files; for another user they remain its own. */
function runStep(text: string, image: Image, insteadOf: InsteadOf): void {
  const cwd = inside(image, image.workdir);
  const instead = insteadOf[text];
  if (instead) {
    instead(cwd);
    return;
  }
  const isRoot = process.getuid?.() === 0;
  const command = text.replaceAll(IMAGE_PATHS, (path) => inside(image, path));
  execFileSync('sh', ['-c', isRoot ? command : command.replaceAll(/&& chown \S+ \S+/g, '')], {
    cwd,
    env: {
      ...image.env,
      PATH: process.env.PATH ?? '',
      npm_config_cache: join(image.root, 'tmp/npm'),
      npm_config_update_notifier: 'false',
      NODE_ENV: 'production' as const,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
