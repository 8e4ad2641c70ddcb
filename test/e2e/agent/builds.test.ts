import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anAssignment, sh, shell } from '../../support/builds/an-assignment.ts'
import { RunningAgent } from '../../support/agents/running-agent.ts'
import { until } from '../../support/programs/until.ts'

let agent: RunningAgent

beforeAll(async () => {
  agent = await RunningAgent.start()
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
})

describe('a job', () => {
  it('runs through its states to its result', async () => {
    const job = await agent.run({ tasks: [sh('echo hello')] })

    expect(job.states).toEqual(['Preparing', 'Building', 'Completing', 'Completed'])
    expect(job.result).toBe('Passed')
    expect(job.written).toEqual(['hello'])
  })

  it('has a console whose lines begin with their time of day', async () => {
    const job = await agent.run({ tasks: [sh('echo one; echo two >&2')] })

    const lines = job.text.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.filter((line) => !/^\d\d:\d\d:\d\d\.\d{3} /.test(line))).toEqual([])
  })

  it('knows who it is by its environment', async () => {
    const source = { type: 'git', name: 'Main Repo', url: '/x', branch: 'main' } as const
    const job = await agent.run({
      fetchMaterials: false,
      materials: [
        { ...source, dest: null, revision: 'abcdef01', fromRevision: 'abcdef00' },
        {
          type: 'pipeline',
          name: null,
          pipelineName: 'up.stream',
          stageName: 's',
          revision: 'up.stream/4/s/1',
          label: '4-x',
        },
      ],
      environmentVariables: [
        { name: 'COLOUR', value: 'red', secure: false },
        { name: 'COLOUR', value: 'blue', secure: false },
        { name: 'odd-name.x', value: 'odd', secure: false },
      ],
      tasks: [sh('env | grep -E "^GO_|^COLOUR|^odd|^CAIRN_AUTO" | sort')],
    })

    expect(job.written).toEqual([
      'COLOUR=blue',
      'GO_AGENT_RESOURCES=linux,node',
      'GO_DEPENDENCY_LABEL_UP_STREAM=4-x',
      'GO_DEPENDENCY_LOCATOR_UP_STREAM=up.stream/4/s/1',
      'GO_FROM_REVISION_MAIN_REPO=abcdef00',
      'GO_JOB_NAME=compile',
      'GO_PIPELINE_COUNTER=3',
      'GO_PIPELINE_LABEL=1.3',
      'GO_PIPELINE_NAME=demo',
      'GO_REVISION=abcdef01',
      'GO_REVISION_MAIN_REPO=abcdef01',
      `GO_SERVER_URL=${agent.server.url}/`,
      'GO_STAGE_COUNTER=2',
      'GO_STAGE_NAME=build',
      'GO_TO_REVISION_MAIN_REPO=abcdef01',
      'GO_TRIGGER_USER=ana',
    ])
  })

  it('never shows a secure value', async () => {
    const job = await agent.run({
      environmentVariables: [
        { name: 'TOKEN', value: 's3cr3t', secure: true },
        { name: 'KEY', value: 'first line\nsecond line', secure: true },
      ],
      tasks: [sh('printf "a s3c"; sleep 0.1; printf "r3t b\\n"; echo "$KEY"; printf s3cr3t')],
    })

    expect(job.written).toEqual(['a ******** b', '********', '********', '********'])
    expect(job.text).toContain("'TOKEN' to value '********'")
    expect(job.text).not.toMatch(/s3cr3t|first line|second line/)
  })

  it('streams its console while it runs', async () => {
    const job = agent.server.assign(
      anAssignment({
        pipelineName: 'streams',
        tasks: [sh('printf begun; until [ -e go ]; do sleep 0.02; done; echo " done"')],
      }),
    )
    await until(() => job.text.includes('begun'))

    expect(job.result).toBeNull()
    await until(() => agent.server.contacts.at(-1)?.runtimeStatus === 'Building')
    writeFileSync(join(agent.folderOf('streams'), 'go'), '')
    await until(() => job.result === 'Passed')
    expect(job.written).toEqual(['begun done'])
  })

  it('fails when a task fails, and runs what is meant for that', async () => {
    const job = await agent.run({
      tasks: [
        sh('echo first; exit 7'),
        sh('echo not this one'),
        sh('echo on failure', { runIf: ['failed'] }),
        sh('echo always', { runIf: ['any'] }),
        sh('echo both', { runIf: ['passed', 'failed'] }),
      ],
    })

    expect(job.result).toBe('Failed')
    expect(job.written).toEqual(['first', 'on failure', 'always', 'both'])
    expect(job.text).toContain('exit code 7')
  })

  it('does not run what is meant for failure when all is well', async () => {
    const job = await agent.run({ tasks: [sh('echo no', { runIf: ['failed'] }), sh('echo yes')] })

    expect(job.written).toEqual(['yes'])
  })

  it('says why a command cannot be started', async () => {
    const job = await agent.run({
      tasks: [
        { ...sh(''), run: { ...shell(''), command: 'nosuch' } },
        sh('echo data >data; echo "#!/no/such" >alone; chmod +x alone', { runIf: ['any'] }),
        ...['./data', './alone'].map((command) => ({
          ...sh('', { runIf: ['any'] }),
          run: { ...shell(''), command },
        })),
        sh(`true ${'x'.repeat(200_000)}`, { runIf: ['any'] }),
      ],
    })

    expect(job.result).toBe('Failed')
    const absent = 'there is no such program, or not the interpreter that its first line names'
    for (const reason of [
      `nosuch cannot be started: ${absent}`,
      './data cannot be started: it may not be executed',
      `./alone cannot be started: ${absent}`,
      'sh cannot be started: its arguments and variables are too long',
    ]) {
      expect(job.text).toContain(`The task ended with exit code 127: ${reason}\n`)
    }
  })

  it('runs a task in its working folder', async () => {
    const job = await agent.run({
      tasks: [
        sh('mkdir -p "sub dir"'),
        { ...sh(''), run: { ...shell('pwd'), workingDir: 'sub dir' } },
      ],
    })

    expect(job.written).toEqual([join(agent.folderOf('demo'), 'sub dir')])
  })

  it.each(['missing', 'file'])('says which working folder is not there: %s', async (dir) => {
    const task = { ...sh(''), run: { ...shell('echo ran'), workingDir: dir } }
    const job = await agent.run({ tasks: [sh('echo > file'), task] })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain(`There is no folder ${dir}\n`)
  })

  it.each(['../..', '/', 'out'])('does not run a task outside its folder: %s', async (dir) => {
    const job = await agent.run({
      tasks: [sh('ln -sfn / out'), { ...sh(''), run: { ...shell('echo ran'), workingDir: dir } }],
    })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain('not inside the working folder')
    expect(job.written).toEqual([])
  })

  it('ends a task that runs into its timeout', { tags: ['util-linux'] }, async () => {
    const job = await agent.run({
      tasks: [{ ...sh(''), run: { ...shell('setsid sleep 300 & sleep 300'), timeoutMs: 100 } }],
    })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain('timeout of 0.1 s')
  })

  it('keeps its folder for the next job unless it is to be cleaned', async () => {
    const files = { pipelineName: 'kept', tasks: [sh('ls; touch left')] }
    await agent.run(files)

    const second = await agent.run(files)
    const third = await agent.run({ ...files, cleanWorkingDir: true })

    expect(second.written).toEqual(['left'])
    expect(third.written).toEqual([])
  })

  it('runs the tools of the other tasks with their arguments', async () => {
    const bin = join(agent.folderOf('tools'), 'bin')
    mkdirSync(bin, { recursive: true })
    for (const tool of ['ant', 'rake', 'nant']) {
      writeFileSync(join(bin, tool), '#!/bin/sh\necho "${0##*/}" "$@"\n', { mode: 0o755 })
    }
    const build = { workingDir: null, buildFile: 'b.xml', target: 'clean  all' }

    const job = await agent.run({
      pipelineName: 'tools',
      environmentVariables: [
        { name: 'PATH', value: `${bin}:${process.env['PATH']}`, secure: false },
      ],
      tasks: [
        { ...sh(''), run: { type: 'ant', ...build } },
        { ...sh(''), run: { type: 'rake', ...build, buildFile: null, target: null } },
        { ...sh(''), run: { type: 'nant', ...build, nantPath: bin } },
      ],
    })

    expect(job.written).toEqual([
      'ant -f b.xml clean all',
      'rake',
      'nant -buildfile:b.xml clean all',
    ])
  })

  it('that has no task passes', async () => {
    expect((await agent.run({})).result).toBe('Passed')
  })

  it('leaves no process behind when it ends', { tags: ['util-linux'] }, async () => {
    const job = await agent.run({
      tasks: [sh('setsid sh -c "echo \\$\\$ >pid; sleep 300" >/dev/null 2>&1 & sleep 0.2')],
    })

    const pid = readFileSync(join(agent.folderOf('demo'), 'pid'), 'utf8').trim()
    expect(job.result).toBe('Passed')
    expect(pid).toMatch(/^\d+$/)
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false)
  })
})
