import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Compiles the program before the first test, so that process tests start what users start. */
export default function buildOnce(): void {
  const script = "import('./scripts/build.js').then((build) => build.buildWhenNeeded())"
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const { status } = spawnSync(process.execPath, ['-e', script], { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error('the build failed')
}
