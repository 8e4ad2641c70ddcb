import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isProcessAlive } from '../../../src/agent/process/end-processes.ts'
import type { AssignedSourceMaterial } from '../../../src/wire/agent/material.ts'
import type { SeenJob } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment } from '../../support/builds/an-assignment.ts'
import { RunningAgent } from '../../support/agents/running-agent.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

let agent: RunningAgent
let temp: TempFolder
let calls: string

beforeAll(async () => {
  temp = new TempFolder()
  calls = temp.file('calls')
  for (const name of ['p4', 'tf']) writeStandIn(name)
  const PATH = `${temp.file('bin')}:${process.env['PATH']}`
  agent = await RunningAgent.start({ environment: { PATH } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

/** A command that writes down its arguments, its password and its input. */
function writeStandIn(name: string): void {
  const record = `printf '%s\\n' "${name} $*"; env | grep ^P4PASSWD; cat; [ "$2" != -delete ]`
  mkdirSync(temp.file('bin'), { recursive: true })
  const script = `#!/bin/sh\n{ ${record}; } >>${calls}\n`
  writeFileSync(join(temp.file('bin'), name), script, { mode: 0o755 })
}

function run(pipelineName: string, material: AssignedSourceMaterial): Promise<SeenJob> {
  return agent.run({ pipelineName, materials: [material] })
}

/** The calls that the stand-ins wrote down since the last look, with the name of the workspace. */
function readCalls(): { lines: string[]; workspace: string } {
  const text = readFileSync(calls, 'utf8')
  writeFileSync(calls, '')
  const [workspace = ''] = /cairn-[0-9a-f]+/.exec(text) ?? []
  return { lines: text.trimEnd().split('\n'), workspace }
}

const P4 = {
  type: 'p4',
  name: null,
  dest: null,
  url: 'perforce:1666',
  username: 'ana',
  password: 'geheim',
  useTickets: true,
  view: '//depot/a/... //someone/...\n"//depot/b c/..." "//someone/b c/..."',
  revision: '42',
  fromRevision: '41',
} as const

const TFS = {
  type: 'tfs',
  name: null,
  dest: 'sub',
  url: 'http://tfs:8080/c',
  username: 'ana',
  domain: 'CORP',
  password: 'geheim',
  projectPath: '$/proj',
  revision: '7',
  fromRevision: '7',
} as const

describe('the clients of p4 and tfs (stand-ins that write down their calls)', () => {
  it.each([
    ['a ticket', true, ['login', 'geheim']],
    ['the password', false, []],
  ])('sync a view with %s', async (_, useTickets, login) => {
    const job = await run(`p4-${useTickets}`, { ...P4, useTickets })

    const { lines, workspace } = readCalls()
    const connection = `p4 -p perforce:1666 -u ana -c ${workspace}`
    const password = useTickets ? [] : ['P4PASSWD=geheim']
    expect(job.result).toBe('Passed')
    expect(job.text).not.toContain('geheim')
    expect(lines).toEqual([
      ...login.map((line) => (line === 'login' ? `${connection} login` : line)),
      `${connection} client -i`,
      ...password,
      `Client: ${workspace}`,
      `Root: ${join(agent.workDir, `pipelines/p4-${useTickets}`)}`,
      'Options: noallwrite clobber nocompress unlocked nomodtime rmdir',
      'LineEnd: local',
      'View:',
      `\t//depot/a/... //${workspace}/...`,
      `\t"//depot/b c/..." "//${workspace}/b c/..."`,
      `${connection} sync -q -f //${workspace}/...@42`,
      ...password,
    ])
  })

  it('map a project and get a changeset, also when there was no workspace before', async () => {
    const job = await run('tfs', TFS)

    const { lines, workspace } = readCalls()
    const server = '-collection:http://tfs:8080/c -login:CORP\\ana,geheim -noprompt'
    const folder = join(agent.workDir, 'pipelines/tfs/sub')
    expect(job.result).toBe('Passed')
    expect(job.text).not.toContain('geheim')
    expect(lines).toEqual([
      `tf workspace -delete ${workspace} ${server}`,
      `tf workspace -new ${workspace} ${server}`,
      `tf workfold -map $/proj ${folder} -workspace:${workspace} ${server}`,
      `tf get ${folder} -recursive -version:C7 -force ${server}`,
    ])
  })

  it.each([
    ['p4', P4, / sync -q \/\/cairn-[0-9a-f]+\/\.\.\.@42$/],
    ['tfs', TFS, / get .* -recursive -version:C7 -collection/],
  ])('update what is there already: %s', async (name, material, update) => {
    const pipeline = `${name}-update`
    await run(pipeline, material)
    writeFileSync(join(agent.workDir, 'pipelines', pipeline, material.dest ?? '.', 'file'), '')
    readCalls()

    await run(pipeline, material)

    const { lines } = readCalls()
    expect(lines.filter((line) => / -f(orce)? /.test(line))).toEqual([])
    expect(lines.filter((line) => update.test(line))).toHaveLength(1)
  })

  it.each([
    ['p4', P4],
    ['tfs', TFS],
  ])(
    'have workspaces of their own on machines with the same folders: %s',
    async (name, material) => {
      const environment = { PATH: `${temp.file('bin')}:${process.env['PATH']}` }
      const workDir = temp.file(`${name}-machine`)
      const workspaces: string[] = []
      for (const pipelineName of ['same', 'same']) {
        await using machine = await RunningAgent.start({ environment, workDir })
        readCalls()
        await machine.run({ pipelineName, materials: [material] })
        workspaces.push(readCalls().workspace)
        await machine.stop()
        rmSync(workDir, { recursive: true })
      }

      expect(new Set(workspaces).size).toBe(2)
    },
  )

  it('are in no log with a password when they fail', async () => {
    writeFileSync(temp.file('bin/tf'), '#!/bin/sh\nexit 100\n')

    const job = await run('fails', TFS)

    expect(job.result).toBe('Failed')
    expect(job.text).toContain('-login:CORP\\ana,********')
    expect(JSON.stringify(agent.log)).toContain('-login:CORP')
    expect(JSON.stringify(agent.log)).not.toContain('geheim')
  })

  it('are ended when the job is cancelled', { tags: ['util-linux'] }, async () => {
    const pid = temp.file('pid')
    const script = `#!/bin/sh\nsetsid sh -c 'echo $$ >${pid}; sleep 300; :' &\nsleep 300\n`
    writeFileSync(temp.file('bin/tf'), script)
    const job = agent.server.assign(anAssignment({ pipelineName: 'hangs', materials: [TFS] }))
    await until(() => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'))

    job.cancelled = true
    await until(() => job.result !== null)

    expect(job.reports).toEqual([
      expect.objectContaining({ state: 'Preparing' }),
      { state: 'Completed', result: 'Cancelled' },
    ])
    expect(isProcessAlive(Number(readFileSync(pid, 'utf8')))).toBe(false)
  })
})
