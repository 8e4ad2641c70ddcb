// @module-tag long
// @module-tag util-linux

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isProcessAlive } from '../../../src/agent/process/end-processes.ts'
import { AgentProcess } from '../../support/agents/agent-process.ts'
import { AgentProtocolServer } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../../support/builds/an-assignment.ts'
import { gitOrigin, hgOrigin, svnOrigin } from '../../support/builds/source-origins.ts'
import { RunningAgent } from '../../support/agents/running-agent.ts'
import { rootFile } from '../../support/programs/root-file.ts'
import { start } from '../../support/programs/start.ts'
import { type TempFolder, tempFolder } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

/** A user that nothing else runs as: every process of it is ended with a job. */
const ID = 300_000 + process.pid
const JOB_USER = { name: 'cairn-test-job', uid: ID, gid: ID }
const isRoot = process.getuid?.() === 0

/** A folder that the job user may pass through, removed when the test has finished. */
function openFolder(): TempFolder {
  const temp = tempFolder()
  chmodSync(temp.path, 0o711)
  return temp
}

async function startAgent(temp = openFolder(), PATH = process.env['PATH']): Promise<RunningAgent> {
  const environment = { PATH, CAIRN_AUTO_REGISTER_KEY: 'the-key' }
  const agent = await RunningAgent.start({
    workDir: temp.file('work'),
    jobUser: JOB_USER,
    environment,
  })
  onTestFinished(() => agent[Symbol.asyncDispose]())
  return agent
}

function modeOf(file: string): string {
  const { mode, uid } = statSync(file)
  return `${(mode & 0o777).toString(8)} ${uid}`
}

/** Settings in a home folder that lead a client elsewhere, or stop it. */
const MISLED = [
  {
    kind: 'git',
    newOrigin: gitOrigin,
    tags: [],
    mislead: (url: string) => `git config --global url./nowhere/.insteadOf ${url}`,
  },
  { kind: 'hg', newOrigin: hgOrigin, tags: ['hg'], mislead: () => 'echo spoilt >~/.hgrc' },
  {
    kind: 'svn',
    newOrigin: svnOrigin,
    tags: ['svn'],
    mislead: () => 'mkdir ~/.subversion && echo spoilt >~/.subversion/servers',
  },
]

/** A stand-in for p4 that ends with an error where the real one would read settings of a home. */
const P4_STAND_IN = `#!/bin/sh
cat >/dev/null
for file in "\${P4ENVIRO:-$HOME/.p4enviro}" "\${P4ALIASES:-$HOME/.p4aliases}"; do
  [ ! -s "$file" ] || { echo "led by $file"; exit 1; }
done
`
const P4_MATERIAL = {
  type: 'p4',
  name: null,
  dest: null,
  url: 'perforce:1666',
  username: 'ana',
  password: null,
  useTickets: false,
  view: '//depot/a/... //someone/...',
  revision: '42',
  fromRevision: '41',
} as const

describe.skipIf(!isRoot)('jobs that run as a user of their own', () => {
  it('have that user, its group alone, and a home of the pipeline', async () => {
    const agent = await startAgent()

    const job = await agent.run({ tasks: [sh('id -u; id -G; echo x >~/file; cat ~/file; pwd')] })

    expect(job.result === 'Passed' ? '' : job.text).toBe('')
    expect(job.written).toEqual([String(ID), String(ID), 'x', agent.folderOf('demo')])
  })

  for (const { kind, newOrigin, tags, mislead } of MISLED) {
    it(`leave no settings in their home that the client of ${kind} heeds`, { tags }, async () => {
      const temp = openFolder()
      const origin = newOrigin(temp.file('origin'))
      spawnSync('chown', ['-R', `${ID}`, temp.file('origin'), temp.file('origin@store')])
      const agent = await startAgent(temp)
      const first = await agent.run({ tasks: [sh(mislead(origin.url))] })

      const second = await agent.run(
        { materials: [origin.material(0)], tasks: [sh('cat a')] },
        20_000,
      )

      expect(first.result).toBe('Passed')
      expect(second.result === 'Passed' ? '' : second.text).toBe('')
    })
  }

  it.each(['.p4enviro', '.p4aliases'])(
    'leave no %s in their home that the client of p4 heeds (a stand-in)',
    async (name) => {
      const temp = openFolder()
      mkdirSync(temp.file('bin'), { mode: 0o755 })
      writeFileSync(temp.file('bin/p4'), P4_STAND_IN, { mode: 0o755 })
      const agent = await startAgent(temp, `${temp.file('bin')}:${process.env['PATH']}`)
      const first = await agent.run({ tasks: [sh(`echo spoilt >~/${name}`)] })

      const second = await agent.run({ materials: [P4_MATERIAL] })

      expect(first.result).toBe('Passed')
      expect(second.result === 'Passed' ? '' : second.text).toBe('')
    },
  )

  it('reach neither the agent nor what another pipeline has', async () => {
    const temp = openFolder()
    const agent = await startAgent(temp)
    await agent.run({
      pipelineName: 'other',
      tasks: [sh('echo secret >file; echo secret >~/file')],
    })
    const targets = [
      join(agent.workDir, 'identity.json'),
      `/proc/${process.pid}/environ`,
      agent.folderOf('other', 'file'),
      join(agent.workDir, 'homes/other/file'),
      join(agent.workDir, 'checkouts/other/user'),
    ]
    const tasks = [
      ...targets.map((file) =>
        sh(`[ -n "$(cat ${file})" ] && echo read ${file}`, { runIf: ['any'] }),
      ),
      sh(`ls ${agent.workDir} ${agent.workDir}/pipelines && echo listed`, { runIf: ['any'] }),
      sh('env; echo seen', { runIf: ['any'] }),
    ]

    const job = await agent.run({ tasks })

    for (const file of targets) expect(existsSync(file)).toBe(true)
    expect(job.text).toContain('seen')
    expect(
      job.text.match(/read \/\S+|listed/g)?.filter((line) => job.written.includes(line)) ?? [],
    ).toEqual([])
    expect(job.text).not.toMatch(/the-key|token-/)
    expect(modeOf(agent.folderOf('other'))).toBe('700 0')
    expect(modeOf(join(agent.workDir, 'homes/other'))).toBe('700 0')
    expect(modeOf(join(agent.workDir, 'identity.json'))).toBe('600 0')
  })

  it('keep no file that they cannot read themselves', { tags: ['long'] }, async () => {
    const agent = await startAgent()
    await agent.run({ pipelineName: 'other', tasks: [sh('echo secret >file')] })
    const links = ['../../identity.json', '../other/file', '/etc/shadow']

    for (const link of links) {
      const artifacts = [{ kind: 'artifact', src: 'out', dest: null }] as const
      const tasks = [sh(`rm -rf out; mkdir out; ln -s ${link} out/link`)]
      const job = await agent.run({ tasks, artifacts: [...artifacts] })

      expect([link, job.result]).toEqual([link, 'Failed'])
      expect([...job.artifacts]).toEqual([])
    }
  })

  it(
    'check out, fetch, build and keep as that user, again and again',
    { tags: ['long'] },
    async () => {
      const temp = openFolder()
      const origin = gitOrigin(temp.file('origin'))
      spawnSync('chown', ['-R', `${ID}`, origin.url])
      const agent = await startAgent(temp)
      agent.server.files.set('kept/file', 'fetched')
      const from = {
        pipelineName: 'up',
        pipelineCounter: 1,
        stageName: 's',
        stageCounter: '1',
        jobName: 'j',
      }
      const fetched = {
        type: 'fetchartifact',
        from,
        src: 'kept',
        srcKind: 'folder',
        dest: 'd',
      } as const
      const run = {
        tasks: [
          { run: fetched, runIf: [], onCancel: null },
          sh('cat a d/kept/file >out; stat -c %u a d d/kept/file out | sort -u'),
        ],
        artifacts: [{ kind: 'artifact' as const, src: 'out', dest: null }],
      }

      const first = await agent.run({ ...run, materials: [origin.material(0)] }, 20_000)
      const second = await agent.run({ ...run, materials: [origin.material(1)] }, 20_000)
      const cleaned = { ...run, materials: [origin.material(1)], cleanWorkingDir: true }
      const third = await agent.run(cleaned, 20_000)

      for (const job of [first, second, third])
        expect(job.result === 'Passed' ? '' : job.text).toBe('')
      expect(second.text).toContain('Updating')
      expect(first.artifacts.get('artifact out')).toBe('onefetched')
      expect(second.artifacts.get('artifact out')).toBe('twofetched')
      expect(second.written).toContain(String(ID))
      expect(readdirSync(join(agent.workDir, 'checkouts/demo'))).not.toContain('fetched')
    },
  )

  it('are ended with every process, whatever it threw away', async () => {
    const agent = await startAgent()
    const daemon = `echo $$ >daemon; trap "" TERM; while :; do sleep 0.1; done`
    const escape = `(env -i setsid sh -c '${daemon}' </dev/null >/dev/null 2>&1 &)`

    const job = await agent.run({
      tasks: [sh(`${escape}; until [ -s daemon ]; do sleep 0.01; done`)],
    })

    expect(job.result).toBe('Passed')
    const pid = Number(readFileSync(agent.folderOf('demo', 'daemon'), 'utf8'))
    expect(pid).toBeGreaterThan(1)
    expect(isProcessAlive(pid)).toBe(false)
  })

  it(
    'are ended with an agent that is killed, which has only the capabilities of its unit',
    { tags: ['long'] },
    async () => {
      const temp = openFolder()
      await using server = await AgentProtocolServer.start()
      const unit = readFileSync(rootFile('deploy/cairn-agent@.service'), 'utf8')
      const [, set = ''] = /^CapabilityBoundingSet=(.*)$/m.exec(unit) ?? []
      const kept = set.split(' ').map((name) => `+${name.slice('CAP_'.length).toLowerCase()}`)
      const through = ['setpriv', '--no-new-privs', `--bounding-set=-all,${kept.join(',')}`]
      const options = { server: server.url, workDir: temp.file('work'), jobUser: JOB_USER, through }
      await using agent = new AgentProcess(options)
      const escape = `(env -i setsid sh -c 'echo $$ >daemon; sleep 300; :' </dev/null >/dev/null 2>&1 &)`
      const wait = 'until [ -s daemon ]; do sleep 0.01; done; cat daemon'
      const ended = server.assign(anAssignment({ tasks: [sh(`${escape}; ${wait}`)] }))
      await until(() => ended.result !== null)
      const tasks = [sh(`rm daemon; ${escape}; ${wait}; grep CapPrm /proc/self/status; sleep 300`)]
      const killed = server.assign(anAssignment({ tasks }))
      await until(() => killed.written.length > 1)

      await agent.end('SIGKILL')

      expect(ended.result === 'Passed' ? '' : ended.text).toBe('')
      expect(killed.written.at(-1)).toMatch(/CapPrm:\s0+$/)
      const pids = [ended, killed].map((job) => Number(job.written[0]))
      expect(pids.filter((pid) => !(pid > 1))).toEqual([])
      await until(() => !pids.some(isProcessAlive))
    },
  )

  it('get a folder anew that another user filled, and one back that was left open', async () => {
    const temp = openFolder()
    const workDir = temp.file('work')
    mkdirSync(join(workDir, 'pipelines/demo'), { recursive: true })
    mkdirSync(join(workDir, 'pipelines/open'), { mode: 0o777 })
    writeFileSync(join(workDir, 'pipelines/demo/file'), 'of the agent')
    const agent = await startAgent(temp)

    const job = await agent.run({ tasks: [sh('ls')] })

    expect(job.written).toEqual([])
    expect(modeOf(join(workDir, 'pipelines/open'))).toBe('700 0')
  })

  it('are waited for where those of a killed agent are still being ended', async () => {
    const endAll =
      'echo begun; i=0; while [ $i -lt 5000 ]; do kill -s KILL -- -1; i=$((i + 1)); done'
    const ending = spawn('/bin/sh', ['-c', endAll], { uid: ID, gid: ID, cwd: '/' })
    await once(ending.stdout, 'data')
    const agent = await startAgent()

    const job = await agent.run({ tasks: [sh('exit 0')] })

    expect(job.result).toBe('Passed')
  })

  it('are those of one agent', async () => {
    const first = await startAgent()
    await until(() => first.server.contacts.length > 0)

    const second = RunningAgent.start({ workDir: openFolder().file('w'), jobUser: JOB_USER })
    const refused = await second.then(async (agent) => {
      try {
        await agent.stop()
        return ''
      } catch (error) {
        return error instanceof Error ? error.message : ''
      } finally {
        await agent.server[Symbol.asyncDispose]()
      }
    })

    expect(refused).toBe('Another agent runs its jobs as the user cairn-test-job')
  })

  it('need folders that let the user through', async () => {
    const temp = tempFolder()

    const { status, stderr } = startCommand(temp.file('work'), ['--job-user', 'nobody'])

    expect(status).toBe(1)
    expect(stderr).toMatch(/^cairn: --job-user nobody cannot be used: it does not reach \S+; .*\n$/)
  })

  it('need an agent that may start them', () => {
    const through = ['setpriv', '--bounding-set=-all']
    const work = openFolder().file('work')

    const { status, stderr } = startCommand(work, ['--job-user', 'nobody'], { through })

    expect(status).toBe(1)
    expect(stderr).toMatch(/^cairn: --job-user nobody needs an agent that runs as root with .*\n$/)
  })

  it('need an agent that runs as root', () => {
    const temp = openFolder()
    const work = temp.file('work')
    mkdirSync(work)
    spawnSync('chown', [String(ID), work])

    const { status, stderr } = startCommand(work, ['--job-user', 'nobody'], { uid: ID })

    expect(status).toBe(1)
    expect(stderr).toMatch(/^cairn: --job-user nobody needs an agent that runs as root with .*\n$/)
  })
})

describe('the key that an agent registers with', () => {
  it('is on no command line that its jobs see, and not in their environment', async () => {
    await using server = await AgentProtocolServer.start()
    const key = 'the-key-of-this-test'
    const flags = ['--work-dir', openFolder().file('work'), '--auto-register-key', key]
    start(['agent', '--server', server.url, ...flags], { env: { CAIRN_AUTO_REGISTER_KEY: key } })

    const look = 'env; tr "\\0" " " </proc/$PPID/cmdline; echo seen'
    const job = server.assign(anAssignment({ tasks: [sh(look)] }))
    await until(() => job.result !== null)

    expect(server.registrations[0]?.autoRegister?.key).toBe(key)
    expect(job.text).toContain('seen')
    expect(job.written.filter((line) => line.includes(key))).toEqual([])
  })
})

describe('--job-user', () => {
  it.each([
    ['no-such-user', 'is not a user of this machine'],
    ['root', 'is root'],
  ])('refuses %s', (name, why) => {
    const temp = openFolder()

    const { status, stderr } = startCommand(temp.file('work'), ['--job-user', name])

    expect(status).toBe(2)
    expect(stderr).toBe(`cairn: --job-user "${name}" ${why}\n`)
    expect(existsSync(temp.file('work'))).toBe(false)
  })
})

/** Starts the command of an agent that cannot start, as another user or through another command. */
function startCommand(
  workDir: string,
  flags: readonly string[],
  { uid, through = [] }: { readonly uid?: number; readonly through?: readonly string[] } = {},
) {
  const args = ['agent', '--server', 'http://127.0.0.1:9', '--work-dir', workDir, ...flags]
  const [command = '', ...line] = [...through, process.execPath, rootFile('dist/main.js'), ...args]
  return spawnSync(command, line, {
    encoding: 'utf8',
    cwd: '/',
    timeout: 20_000,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
}
