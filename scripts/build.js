import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
/** What pages load as it is; the compiler passes it over. */
const ASSETS = 'src/http/pages/assets'
/** What runs in the browser and is made of several parts: one file for each. */
const BUNDLES = ['src/http/pages/browser/editor.ts']
const STAMP = join(DIST, '.built')

/** Compiles `src` to `dist` when a source is newer than the last build; ends the program when it fails. */
export function buildWhenNeeded() {
  if (!existsSync(join(ROOT, 'src')) || isFresh()) return
  const draft = join(ROOT, `.dist-${process.pid}`)
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin',
    'tsc',
  )
  const flags = ['-p', join(ROOT, 'tsconfig.json'), '--noEmit', 'false', '--outDir', draft]
  const { status } = spawnSync(process.execPath, [compiler, ...flags], { stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    process.exit(1)
  }
  cpSync(join(ROOT, ASSETS), join(draft, ASSETS.replace('src/', '')), { recursive: true })
  bundle(join(draft, ASSETS.replace('src/', '')))
  writeFileSync(join(draft, '.built'), '')
  rmSync(DIST, { recursive: true, force: true })
  renameSync(draft, DIST)
}

function bundle(outdir) {
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: BUNDLES,
    outdir,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
    tsconfigRaw: '{}',
  })
}

function isFresh() {
  if (!existsSync(STAMP)) return false
  const built = statSync(STAMP).mtimeMs
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  return sources.every((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs <= built)
}
