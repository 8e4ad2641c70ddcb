import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sh } from '../../support/builds/an-assignment.ts'
import { RunningAgent } from '../../support/agents/running-agent.ts'

/** More than the pipes and buffers between an agent and a server hold. */
const BIG = 40_000_000

let agent: RunningAgent

beforeAll(async () => {
  agent = await RunningAgent.start()
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
})

describe('the artifacts of a job', () => {
  it('are uploaded to their destination', async () => {
    const job = await agent.run({
      pipelineName: 'artifacts',
      tasks: [
        sh('mkdir -p target/sub .git; echo a >target/a.jar; echo b >target/sub/b.jar; echo c >c#1'),
        sh('echo g >.git/g'),
      ],
      artifacts: [
        { kind: 'artifact', src: 'target/*.jar', dest: 'flat' },
        { kind: 'artifact', src: '**/*.jar', dest: 'deep' },
        { kind: 'artifact', src: 'target', dest: 'whole' },
        { kind: 'test', src: 'c#1', dest: null },
        { kind: 'test', src: 'absent', dest: null },
      ],
    })

    expect(job.result).toBe('Passed')
    expect(Object.fromEntries(job.artifacts)).toEqual({
      'artifact flat/a.jar': 'a\n',
      'artifact deep/target/a.jar': 'a\n',
      'artifact deep/target/sub/b.jar': 'b\n',
      'artifact whole/target/a.jar': 'a\n',
      'artifact whole/target/sub/b.jar': 'b\n',
      'test c#1': 'c\n',
    })
  })

  it('are uploaded when a task has failed, too', async () => {
    const job = await agent.run({
      tasks: [sh('echo log >log; false')],
      artifacts: [{ kind: 'artifact', src: 'log', dest: 'logs' }],
    })

    expect(job.result).toBe('Failed')
    expect(job.artifacts.get('artifact logs/log')).toBe('log\n')
  })

  it('must exist, or the job fails', async () => {
    const job = await agent.run({ artifacts: [{ kind: 'artifact', src: 'absent/*', dest: null }] })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain('There is no artifact absent/*')
  })

  it('cannot lie outside the working folder', async () => {
    const job = await agent.run({ artifacts: [{ kind: 'artifact', src: '../../*', dest: null }] })

    expect(job.result).toBe('Failed')
    expect(job.artifacts.size).toBe(0)
  })

  it('are not where a link leads out of the working folder', async () => {
    const job = await agent.run({
      tasks: [
        sh('mkdir out in; echo a >in/a; ln -s ../in/a out/a; ln -s ../../../identity.json out/b'),
      ],
      artifacts: [
        { kind: 'artifact', src: 'out', dest: null },
        { kind: 'artifact', src: '**/b', dest: 'deep' },
      ],
    })

    expect(job.result).toBe('Failed')
    expect([...job.artifacts]).toEqual([['artifact out/a', 'a\n']])
    expect(job.text).toMatch(
      /The artifact out\/b cannot be kept: out\/b is not inside the working folder/,
    )
  })

  it('are named with the reason where they cannot be read', async () => {
    const deep =
      'const d = "d".repeat(200); for (let n = 0; n < 25; n += 1) fs.mkdirSync(d), process.chdir(d)'
    const job = await agent.run({
      pipelineName: 'unreadable',
      tasks: [
        sh(String.raw`mkdir -p "$(printf 'o/d\377')" p; : >"$(printf 'o/b\376')"; echo a >o/a`),
        sh(`echo p >p/p; cd o; '${process.execPath}' -e '${deep}'`),
      ],
      artifacts: [
        { kind: 'artifact', src: 'o', dest: null },
        { kind: 'artifact', src: 'p', dest: null },
      ],
    })

    expect(job.result).toBe('Failed')
    expect([...job.artifacts.keys()]).toEqual(['artifact o/a', 'artifact p/p'])
    for (const name of ['d', 'b']) {
      expect(job.text).toContain(
        `The artifact o/${name}\uFFFD cannot be kept: Its name is not text in UTF-8`,
      )
    }
    expect(job.text).toMatch(/The artifact o\/d{200}\/d+… cannot be kept: Its path is too long\n/)
    expect(job.text).toContain('The job failed: 3 artifacts are lost, such as ')
    await agent.run({ pipelineName: 'unreadable', tasks: [sh('rm -rf o')] })
  })

  it('are kept as they were when their sending began, where they grow', async () => {
    const big = agent.folderOf('growing', 'big')
    agent.server.onUpload = () => appendFileSync(big, 'more')

    const job = await agent.run({
      pipelineName: 'growing',
      tasks: [sh(`head -c ${BIG} /dev/zero >big`)],
      artifacts: [{ kind: 'artifact', src: 'big', dest: null }],
    })

    expect(job.result).toBe('Passed')
    expect(job.artifacts.get('artifact big')).toHaveLength(BIG)
  })

  it('are lost where they are cut short while they are sent', async () => {
    const big = agent.folderOf('shrinking', 'big')
    agent.server.onUpload = (path) => path === 'big' && truncateSync(big, 1)

    const job = await agent.run({
      pipelineName: 'shrinking',
      tasks: [sh(`head -c ${BIG} /dev/zero >big; echo z >z; : >empty`)],
      artifacts: [{ kind: 'artifact', src: '*', dest: null }],
    })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain(
      'The artifact big cannot be kept: It became shorter while it was sent',
    )
    expect([job.artifacts.get('artifact z'), job.artifacts.get('artifact empty')]).toEqual([
      'z\n',
      '',
    ])
  })
})

describe('a task that fetches an artifact', () => {
  const from = {
    pipelineName: 'up',
    pipelineCounter: 1,
    stageName: 's',
    stageCounter: '1',
    jobName: 'j',
  }
  const fetching = { type: 'fetchartifact', from, dest: null } as const

  it('gets a file and a whole folder', async () => {
    agent.server.files.set('pkg/lib/app.bin', 'binary\u0000text')
    agent.server.files.set('pkg/lib/more/x y.txt', 'x')
    agent.server.files.set('pkg/lib2', 'no')

    const job = await agent.run({
      pipelineName: 'fetches',
      cleanWorkingDir: true,
      tasks: [
        { ...sh(''), run: { ...fetching, src: 'pkg/lib/app.bin', srcKind: 'file' } },
        { ...sh(''), run: { ...fetching, src: 'pkg/lib', srcKind: 'folder', dest: 'got' } },
        sh('find . -type f | sort'),
      ],
    })

    expect(job.written).toEqual(['./app.bin', './got/lib/app.bin', './got/lib/more/x y.txt'])
    expect(readFileSync(join(agent.folderOf('fetches'), 'app.bin'), 'utf8')).toBe(
      'binary\u0000text',
    )
  })

  it('fails when there is none', async () => {
    const job = await agent.run({
      tasks: [
        { ...sh(''), run: { ...fetching, src: 'nothing', srcKind: 'file' } },
        {
          ...sh('', { runIf: ['any'] }),
          run: { ...fetching, from: null, src: 'x', srcKind: 'file' },
        },
      ],
    })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain('there is no artifact nothing')
    expect(job.text).toContain('There is no run')
  })

  it.each([
    ['a folder', 'mkdir -p to/app.bin', 'to/app.bin: a folder is where a file has to be'],
    [
      'a pipe',
      'mkdir to; mkfifo to/app.bin',
      'to/app.bin: a pipe or device is where a file has to be',
    ],
    [
      'a device',
      'mkdir to; ln -s /dev/null to/app.bin',
      'to/app.bin is not inside the working folder',
    ],
    ['a file on the way', 'echo x >to', 'to/app.bin: a file is where a folder has to be'],
    ['a link to itself', 'ln -s to to', 'to/app.bin: a symbolic link leads to itself'],
  ])('fails where %s has the name of the file', async (_, script, reason) => {
    agent.server.files.set('pkg/app.bin', 'binary')
    const run = { ...fetching, src: 'pkg/app.bin', srcKind: 'file', dest: 'to' } as const

    const job = await agent.run({ cleanWorkingDir: true, tasks: [sh(script), { ...sh(''), run }] })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain(` ${reason}\n`)
  })

  it('does not write outside the working folder', async () => {
    agent.server.files.set('../../escaped', 'x')
    const run1 = { ...fetching, src: '..', srcKind: 'folder' } as const

    const job = await agent.run({ tasks: [{ ...sh(''), run: run1 }] })

    expect(job.result).toBe('Failed')
    expect(existsSync(join(agent.workDir, 'escaped'))).toBe(false)
  })
})
