import type { AssignedTfsMaterial } from '../../wire/agent/material.ts'
import { type RunTool, type ToolPlace, type SourceTool, ToolFailed } from './source-tool.ts'

export function tfsCheckout(material: AssignedTfsMaterial, place: ToolPlace): SourceTool {
  const { url, username, domain, password, projectPath, revision } = material
  const user = domain === null || domain === '' ? username : `${domain}\\${username}`
  if (!projectPath.startsWith('$/')) throw new ToolFailed('tf: a project path begins with $/')
  const server = [`-collection:${url}`, `-login:${user},${password ?? ''}`, '-noprompt']

  function tf(run: RunTool, args: readonly string[], optional = false): Promise<void> {
    return run({ command: 'tf', args: [...args, ...server], optional })
  }

  function get(run: RunTool, ...options: string[]): Promise<void> {
    return tf(run, ['get', place.folder, '-recursive', `-version:C${revision}`, ...options])
  }

  return {
    identity: `tfs ${url} ${user} ${projectPath}`,
    async fresh(run) {
      const { workspace, folder } = place
      await tf(run, ['workspace', '-delete', workspace], true)
      await tf(run, ['workspace', '-new', workspace])
      await tf(run, ['workfold', '-map', projectPath, folder, `-workspace:${workspace}`])
      await get(run, '-force')
    },
    update: (run) => get(run),
  }
}
