import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Compiles the program before the first test, so that process tests start what users start. */
export default function buildOnce(): void {
  const script = "import('./scripts/build.js').then((build) => build.buildWhenNeeded())"
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const { status } = spawnSync(process.execPath, ['-e', script], { cwd, stdio: 'inherit' })
  const message = 'the build failed'
  // With its own stack: of a file in the cache of modules, vitest fails to make one, and shows that instead.
  if (status !== 0) throw Object.assign(new Error(message), { stack: message })
}
