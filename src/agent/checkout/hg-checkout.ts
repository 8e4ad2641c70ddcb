import { hgSettings } from '../../core/hg-settings.ts'
import type { SourceAddress } from '../../core/source-address.ts'
import type { AssignedHgMaterial } from '../../wire/agent/material.ts'
import type { RunTool, SourceTool } from './source-tool.ts'

/**
 * The user's aliases and defaults must not change the commands, nor may settings that a job left in
 * a folder: extensions and hooks are code.
 */
const ENVIRONMENT = { HGPLAIN: '1', HGRCSKIPREPO: '1' }

export function hgCheckout({ revision }: AssignedHgMaterial, address: SourceAddress): SourceTool {
  const { url } = address
  const settings = hgSettings(address)
  const environment = { ...ENVIRONMENT, ...settings?.environment }

  function hg(run: RunTool, args: readonly string[]): Promise<void> {
    return run({ ...(settings?.command(args) ?? { command: 'hg', args }), environment })
  }

  return {
    identity: `hg ${url}`,
    fresh: (run) => hg(run, ['clone', '--quiet', '--updaterev', revision, '--', url, '.']),
    async update(run) {
      await hg(run, ['pull', '--quiet', '--', url])
      await hg(run, ['update', '--quiet', '--clean', '--rev', revision])
      await hg(run, ['--config', 'extensions.purge=', 'purge', '--quiet'])
    },
  }
}
