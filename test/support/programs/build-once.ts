import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Compiles the program before the first test, so that process tests start what users start. */
export default function buildOnce(): void {
  const script = "import('./scripts/build.js').then((build) => build.buildWhenNeeded())"
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const { status } = spawnSync(process.execPath, ['-e', script], { cwd, stdio: 'inherit' })
  const message = 'the build failed'
  // With a stack, because vitest fails to map that of a cached module, and would show its own failure.
  if (status !== 0) throw Object.assign(new Error(message), { stack: message })
}
