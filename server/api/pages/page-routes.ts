import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface RoutesManifest {
  staticRoutes: { page: string; regex: string }[];
  dynamicRoutes: { page: string; regex: string }[];
}

/** Routes that Next adds to those of `app`; none is a page. */
const NO_PAGE = /^\/_|\.svg$/;

/** The addresses that have a page, from the build. */
export class PageRoutes {
  private readonly pages = new Set<string>();
  private readonly patterns: RegExp[] = [];

  /** @param buildDir the folder `.next` */
  constructor(buildDir: string) {
    const manifest = readManifest(join(buildDir, 'routes-manifest.json'));
    for (const { page } of manifest.staticRoutes) if (!NO_PAGE.test(page)) this.pages.add(page);
    this.patterns = manifest.dynamicRoutes.map(({ regex }) => new RegExp(regex));
  }

  /** @param pathname as sent; a trailing `/` is ignored */
  has(pathname: string): boolean {
    const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
    return this.pages.has(path) || this.isDynamic(path);
  }

  /** Whether the address is one of a page with parameters. */
  isDynamic(pathname: string): boolean {
    return this.patterns.some((pattern) => pattern.test(pathname));
  }
}

function readManifest(path: string): RoutesManifest {
  return JSON.parse(readFileSync(path, 'utf8')) as RoutesManifest;
}
