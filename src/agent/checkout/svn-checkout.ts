import type { SourceAddress } from '../../core/source-address.ts'
import type { AssignedSvnMaterial } from '../../wire/agent-material.ts'
import type { RunTool, SourceTool } from './source-tool.ts'

export function svnCheckout(material: AssignedSvnMaterial, address: SourceAddress): SourceTool {
  const { revision } = material
  const { url } = address
  const username = material.username ?? address.username
  const password = material.password ?? address.password
  const user = username === null ? [] : ['--username', username]
  const secret = password === null || password === '' ? [] : ['--password-from-stdin']
  const options = ['--quiet', '--non-interactive', '--no-auth-cache', ...user, ...secret]

  function svn(run: RunTool, args: readonly string[]): Promise<void> {
    return run({ command: 'svn', args: [...args, ...options], input: password ?? '' })
  }

  return {
    identity: `svn ${url}`,
    // The revision is also appended to the URL, so that an `@` in the URL is not parsed as one.
    fresh: (run) => svn(run, ['checkout', '--revision', revision, `${url}@${revision}`, '.']),
    async update(run) {
      await run({ command: 'svn', args: ['cleanup', '--non-interactive'] })
      await run({ command: 'svn', args: ['revert', '--quiet', '--recursive', '.'] })
      await run({ command: 'svn', args: ['cleanup', '--non-interactive', '--remove-unversioned'] })
      await svn(run, ['update', '--revision', revision])
    },
  }
}
