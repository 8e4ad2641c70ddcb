import type { AssignedP4Material } from '../../wire/agent/material.ts'
import type { RunTool, ToolPlace, SourceTool } from './source-tool.ts'

export function p4Checkout(material: AssignedP4Material, place: ToolPlace): SourceTool {
  const { url, username, password, useTickets, revision } = material
  const { workspace } = place
  const user = username === null || username === '' ? [] : ['-u', username]
  const secret = password ?? ''
  const environment = secret === '' || useTickets ? {} : { P4PASSWD: secret }
  const files = `//${workspace}/...@${revision}`

  function p4(run: RunTool, args: readonly string[], input = ''): Promise<void> {
    const connection = ['-p', url, ...user, '-c', workspace]
    return run({ command: 'p4', args: [...connection, ...args], environment, input })
  }

  async function connect(run: RunTool): Promise<void> {
    if (useTickets && secret !== '') await p4(run, ['login'], `${secret}\n`)
    await p4(run, ['client', '-i'], renderClient(material, place))
  }

  return {
    identity: `p4 ${url} ${username ?? ''} ${material.view}`,
    async fresh(run) {
      await connect(run)
      await p4(run, ['sync', '-q', '-f', files])
    },
    async update(run) {
      await connect(run)
      await p4(run, ['sync', '-q', files])
    },
  }
}

/** The client of this folder, which replaces the view's own client name. */
function renderClient({ view }: AssignedP4Material, { folder, workspace }: ToolPlace): string {
  const mappings = view
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.replace(/(\s"?\/\/)[^/]+\//, (_, start: string) => `${start}${workspace}/`))
  return [
    `Client: ${workspace}`,
    `Root: ${folder}`,
    'Options: noallwrite clobber nocompress unlocked nomodtime rmdir',
    'LineEnd: local',
    'View:',
    ...mappings.map((mapping) => `\t${mapping}`),
    '',
  ].join('\n')
}
