import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readdirSync,
  realpathSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packSourceMaps } from './source-positions.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const PAGES = 'src/pages'
/**
 * Files that are started by name: the program, its worker threads and the process that starts others. Shared code is in files
 * beside them.
 */
const ENTRIES = [
  'main.ts',
  'configuration/current/document-worker.ts',
  'diff/diff-worker.ts',
  'pages/work/page-worker.ts',
  'processes/starter-process.ts',
  'security/password-worker.ts',
  'storage/checkpoint-worker.ts',
]
/** Browser scripts, each bundled into one file. */
const CLIENT_SCRIPTS = [
  'edit/client/editor.ts',
  'client/enhance.ts',
  'client/keys.ts',
  'client/live.ts',
  'snapshot/client/snapshot.ts',
]
/** Two packages load a binary from their folder; the third is CommonJS, and imported when it is needed, which a bundle cannot do by names. */
const OUTSIDE = ['@node-rs/bcrypt', '@photostructure/sqlite', 'isomorphic-git']
/** Large parts of packages that the program never reaches, and the modules in their place. */
const REPLACED = [
  { filter: /\/zod\/v4\/locales\/index\.js$/, contents: "export { default as en } from './en.js'" },
  // Node knows the names of hosts in every alphabet.
  { filter: /\/tr46\/index\.js$/, contents: "export { domainToASCII as toASCII } from 'node:url'" },
]
/** Globals that a CommonJS package expects inside a bundle. */
const REQUIRE = [
  "import { createRequire as requireFrom } from 'node:module'",
  'const require = requireFrom(import.meta.url)',
].join('\n')
const STAMP = join(DIST, '.built')
const resolve = createRequire(import.meta.url).resolve

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv[2])
}

/** `npm ci` prepares the program; without the development dependencies there is nothing to build it with. */
async function main(step) {
  if (step === 'unchecked') await build({ isChecked: false })
  else if (step !== 'prepare') await build()
  else if (hasCompiler()) await buildWhenNeeded()
  else process.stderr.write('cairn: not built, as the development dependencies are left out\n')
}

/** Builds `dist` from `src` when a source is newer than the last build; ends the program when it fails. */
export async function buildWhenNeeded() {
  if (!isFresh()) await build()
}

/** Builds without a type check where the source is broken on purpose. */
async function build({ isChecked = true } = {}) {
  const draft = join(ROOT, `.dist-${process.pid}`)
  if (isChecked) checkTypes()
  const program = await bundleProgram(draft)
  const scripts = await bundleClientScripts(join(draft, 'pages', 'scripts'))
  packSourceMaps(draft)
  writePackages(draft, packagesOf([...program, ...scripts]))
  copyStyles(join(draft, 'pages'))
  writeManual(draft)
  writeFileSync(join(draft, '.built'), digestOfProgram(draft))
  replaceBuild(draft)
}

/** Identifies the code of a build. The names of its parts have digests of what is in them. */
function digestOfProgram(draft) {
  const names = readdirSync(join(draft, 'parts')).filter((name) => name.endsWith('.js'))
  const digest = createHash('sha256').update(names.join('\n'))
  for (const entry of ENTRIES) {
    digest.update(readFileSync(join(draft, entry.replace(/\.ts$/, '.js'))))
  }
  return digest.digest('hex')
}

/** The manual page of the package, from the table of usages. */
function writeManual(draft) {
  const args = [join(draft, 'main.js'), 'completion', 'man']
  const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 2] })
  if (status !== 0) process.exit(1)
  writeFileSync(join(draft, 'cairn.1'), stdout)
}

/** Programs that start meanwhile find the one or the other: removing many files takes long. */
function replaceBuild(draft) {
  const old = `${draft}-old`
  if (existsSync(DIST)) renameSync(DIST, old)
  renameSync(draft, DIST)
  rmSync(old, { recursive: true, force: true })
}

function checkTypes() {
  const compiler = join(dirname(resolve('typescript/package.json')), 'bin', 'tsc')
  const line = [compiler, '-p', join(ROOT, 'tsconfig.json')]
  const { status } = spawnSync(process.execPath, line, { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}

/**
 * A program of a few files starts sooner than one of hundreds, packages included. Names are left as they
 * are, so that a stack can be read.
 */
async function bundleProgram(outdir) {
  const esbuild = await import('esbuild')
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((entry) => join('src', entry)),
    outbase: 'src',
    outdir,
    chunkNames: 'parts/[name]-[hash]',
    bundle: true,
    splitting: true,
    external: OUTSIDE,
    banner: { js: REQUIRE },
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'external',
    sourcesContent: false,
    plugins: [{ name: 'replaced', setup: replaceParts }],
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.inputs)
}

function replaceParts({ onLoad }) {
  for (const { filter, contents } of REPLACED) onLoad({ filter }, () => ({ contents }))
}

/** The packages that are a part of the program, by their folders. */
function packagesOf(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  return Array.from(folders).map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    )
    return { folder, name, version, license }
  })
}

/** A program that has a copy of a package has its license, too. */
function writePackages(outdir, packages) {
  writeFileSync(join(outdir, 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`)
  const texts = packages.map(({ folder, name, version, license }) => {
    const files = readdirSync(join(ROOT, folder)).filter((file) =>
      /^(licen[cs]e|notice)/i.test(file),
    )
    const text = files.map((file) => readFileSync(join(ROOT, folder, file), 'utf8').trim())
    return [`${name} ${version} (${license})`, ...text].join('\n\n')
  })
  writeFileSync(join(outdir, 'licenses.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

/** Style sheets and pictures have the same places below `dist` as beside the pages that they are for. */
function copyStyles(to) {
  cpSync(join(ROOT, PAGES), to, { recursive: true, filter: isStyleOrFolder })
}

function isStyleOrFolder(file) {
  if (/\.(css|svg)$/.test(file)) return true
  return statSync(file).isDirectory() && basename(file) !== 'client'
}

async function bundleClientScripts(outdir) {
  const esbuild = await import('esbuild')
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: CLIENT_SCRIPTS.map((script) => join(PAGES, script)),
    outdir,
    entryNames: '[name]',
    bundle: true,
    minify: true,
    // The editor's library has logs for its own developers, and some for Node alone.
    pure: ['console.log', 'console.warn'],
    define: { process: 'undefined' },
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
    tsconfigRaw: '{}',
    metafile: true,
  })
  return Object.keys(metafile.inputs)
}

function hasCompiler() {
  try {
    return resolve('typescript/package.json') !== ''
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return false
    throw error
  }
}

function isFresh() {
  if (!existsSync(STAMP)) return false
  const built = statSync(STAMP).mtimeMs
  const entries = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  const sources = entries.map((entry) => join(entry.parentPath, entry.name))
  const all = [fileURLToPath(import.meta.url), ...sources]
  return all.every((file) => statSync(file).mtimeMs <= built)
}
