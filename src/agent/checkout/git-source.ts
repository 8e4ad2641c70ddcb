import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GitMaterial } from '../../wire/agent-material.ts'
import type { RunTool, SourcePlace, SourceTool } from './source-tool.ts'

/** Nobody is there to type a password. */
const ENVIRONMENT = { GIT_TERMINAL_PROMPT: '0' }

export function gitSource(material: GitMaterial, { folder }: SourcePlace): SourceTool {
  const { url, branch, revision } = material

  async function checkOut(run: RunTool): Promise<void> {
    await git(run, ['checkout', '--quiet', '--force', '-B', branch, revision])
    await git(run, ['clean', '-dff', '--quiet'])
    if (!existsSync(join(folder, '.gitmodules'))) return
    await git(run, ['submodule', 'sync', '--quiet', '--recursive'])
    await git(run, ['submodule', 'update', '--quiet', '--init', '--recursive', '--force'])
    await git(run, ['submodule', '--quiet', 'foreach', '--recursive', 'git clean -dff --quiet'])
  }

  return {
    identity: `git ${url} ${branch}`,
    async fresh(run) {
      await git(run, ['clone', '--quiet', '--no-checkout', `--branch=${branch}`, '--', url, '.'])
      await checkOut(run)
    },
    async update(run) {
      await git(run, ['fetch', '--quiet', '--prune', '--tags', '--force', 'origin'])
      await checkOut(run)
    },
  }
}

function git(run: RunTool, args: readonly string[]): Promise<void> {
  return run({ command: 'git', args, environment: ENVIRONMENT })
}
