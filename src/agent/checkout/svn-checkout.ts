import type { SourceAddress } from '../../core/source-address.ts'
import type { AssignedSvnMaterial } from '../../wire/agent/material.ts'
import type { RunTool, SourceTool } from './source-tool.ts'

interface SvnPlace {
  readonly address: SourceAddress
  /** Where the client looks for the settings of its user; null for where it does by itself. */
  readonly userSettings: string | null
}

export function svnCheckout(
  material: AssignedSvnMaterial,
  { address, userSettings }: SvnPlace,
): SourceTool {
  const { revision } = material
  const { url } = address
  const username = material.username ?? address.username
  const password = material.password ?? address.password
  const user = username === null ? [] : ['--username', username]
  const secret = password === null || password === '' ? [] : ['--password-from-stdin']
  const connection = ['--no-auth-cache', ...user, ...secret]
  const place = userSettings === null ? [] : ['--config-dir', userSettings]
  // The revision is also appended to the URL, so that an `@` in the URL is not parsed as one.
  const source = ['--revision', revision, ...connection, `${url}@${revision}`, '.']

  function svn(run: RunTool, command: string, ...args: readonly string[]): Promise<void> {
    const input = password ?? ''
    return run({ command: 'svn', args: [command, '--non-interactive', ...place, ...args], input })
  }

  return {
    identity: `svn ${url}`,
    fresh: (run) => svn(run, 'checkout', '--quiet', ...source),
    async update(run) {
      await svn(run, 'cleanup')
      await svn(run, 'revert', '--quiet', '--recursive', '.')
      await svn(run, 'cleanup', '--remove-unversioned')
      // An update would go to wherever a job has led the copy. A switch takes all of it back to the
      // address, and refuses a copy of another repository.
      await svn(run, 'switch', '--quiet', ...source)
    },
  }
}
