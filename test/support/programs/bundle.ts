import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { rootFile } from './root-file.ts'

/** Packages, and the files of the last build. */
const FOUND_BESIDE = ['node_modules', 'package.json', 'dist']
const bundles = new Map<string, string>()

/** A program of the tests, with what it imports from the sources, as one file that node runs. It is made once. */
export function bundled(program: URL): string {
  const known = bundles.get(program.href)
  if (known !== undefined) return known
  const folder = mkdtempSync(join(tmpdir(), 'cairn-program-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Agents may run as another user.
  chmodSync(folder, 0o755)
  for (const name of FOUND_BESIDE) symlinkSync(rootFile(name), join(folder, name))
  const outfile = join(folder, `${basename(program.pathname, '.ts')}.js`)
  buildSync({
    entryPoints: [fileURLToPath(program)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    keepNames: true,
    logLevel: 'warning',
  })
  bundles.set(program.href, outfile)
  return outfile
}
