import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { settingsFor } from '../../core/git-settings.ts'
import type { SourceAddress } from '../../core/source-address.ts'
import type { AssignedGitMaterial } from '../../wire/agent/material.ts'
import { hasOwnSubmodulesOnly, restoreSettings, steeringOf } from './git-steering.ts'
import { type RunTool, type ToolPlace, type SourceTool, ToolFailed } from './source-tool.ts'

export function gitCheckout(
  { branch, revision }: AssignedGitMaterial,
  { folder, address }: ToolPlace & { readonly address: SourceAddress },
): SourceTool {
  const { url } = address
  const environment = {
    // No user is there to enter a password.
    GIT_TERMINAL_PROMPT: '0',
    // Jobs may leave hooks and a file system monitor in a folder, which are code: git must not run
    // them.
    ...settingsFor(address),
  }

  function git(run: RunTool, args: readonly string[]): Promise<void> {
    return run({ command: 'git', args, environment })
  }

  async function checkOut(run: RunTool): Promise<void> {
    await git(run, ['checkout', '--quiet', '--force', '-B', branch, revision])
    await git(run, ['clean', '-dff', '--quiet'])
    if (!existsSync(join(folder, '.gitmodules'))) return
    if (!(await hasOwnSubmodulesOnly(folder))) throw new ToolFailed('It holds other repositories')
    await git(run, ['submodule', 'sync', '--quiet', '--recursive'])
    await git(run, ['submodule', 'update', '--quiet', '--init', '--recursive', '--force'])
    await git(run, ['submodule', '--quiet', 'foreach', '--recursive', 'git clean -dff --quiet'])
  }

  return {
    identity: `git ${url} ${branch}`,
    steering: () => steeringOf(folder),
    restore: restoreSettings,
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
