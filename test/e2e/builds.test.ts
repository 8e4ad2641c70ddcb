import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { element, exec, git } from '../support/documents/a-configuration.ts'
import { jsonOf } from '../support/builds/build-service.ts'
import { gitLine } from '../support/git/git.ts'
import { RealBuilds } from '../support/builds/real-builds.ts'
import { readZip } from '../support/programs/zip-reader.ts'
import { until } from '../support/programs/until.ts'

const SLOW = { timeout: 120_000 }
const TIMEOUT_MS = 60_000

function pipelineOf(script: string, more: object = {}) {
  const job = { tasks: [exec('sh', '-c', script)], ...more }
  return { pipelines: [{ name: 'app', stages: [{ jobs: [job] }] }] }
}

/** Says its process id in a file of that name, and waits until a file lets it go on. */
function waiting(folder: string): string {
  return `echo $$ > ${folder}/pid; echo on its way; while [ ! -e ${folder}/go ]; do sleep 0.1; done; echo went on`
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
}

function pidIn(folder: string): number {
  return Number(readFileSync(join(folder, 'pid'), 'utf8'))
}

async function resultOf({ scene }: RealBuilds): Promise<string> {
  return (await scene.stage()).result
}

describe('a pipeline on a real agent', SLOW, () => {
  it('builds a git repository, streams its console and keeps its artifacts', async () => {
    const real = await RealBuilds.open()
    await real.scene.configure(
      pipelineOf(
        `cat hello.txt; ${waiting(real.folder)}; echo "$GO_PIPELINE_NAME $GO_PIPELINE_COUNTER $SECRET" > out.txt; echo $SECRET`,
        {
          variables: { SECRET: 'visible' },
          artifacts: [element('artifact', { src: '*.txt', dest: 'kept' })],
        },
      ),
    )
    real.agent('one')
    await real.scene.schedule()

    await until(async () => (await real.console()).includes('on its way'), TIMEOUT_MS)
    expect(await resultOf(real)).toBe('Unknown')
    expect(await real.console()).toContain('hello')
    real.proceed()
    await until(async () => (await resultOf(real)) === 'Passed', TIMEOUT_MS)

    expect(await real.console()).toContain('went on')
    const kept = await real.scene.get('/files/app/1/build/1/unit/kept/out.txt')
    expect(await kept.text()).toBe('app 1 visible\n')
    expect(await jsonOf(await real.scene.get('/files/app/1/build/1/unit/kept'))).toMatchObject([
      { name: 'hello.txt' },
      { name: 'out.txt' },
    ])
    const zip = await real.scene.get('/files/app/1/build/1/unit/kept.zip')
    expect(readZip(Buffer.from(await zip.arrayBuffer()))).toMatchObject({
      'kept/out.txt': 'app 1 visible\n',
    })
  })

  it(
    'acts on its template and params, its environment, its label and its secrets',
    { tags: ['long'] },
    async () => {
      const real = await RealBuilds.open()
      const secret = element('variable', { name: 'PW', secure: true }, [
        element('value', {}, ['hunter22']),
      ])
      await real.scene.configure({
        pipelines: [
          {
            name: 'app',
            template: 'any',
            attributes: { labeltemplate: 'v${COUNT}-${src[:7]}' },
            params: { WORD: 'from a param' },
            before: [element('environmentvariables', {}, [secret])],
            materials: [git(real.scene.origin, { branch: 'main', materialName: 'src' })],
          },
        ],
        templates: [
          {
            name: 'any',
            stages: [
              {
                jobs: [
                  { tasks: [exec('sh', '-c', 'echo "#{WORD} $WHERE $PW $GO_PIPELINE_LABEL"')] },
                ],
              },
            ],
          },
        ],
        environments: [{ name: 'west', pipelines: ['app'], variables: { WHERE: 'in the west' } }],
      })
      real.agent('elsewhere')
      real.agent('one', ['--environments', 'west'])
      const label = `v1-${gitLine(real.scene.origin, 'rev-parse', 'HEAD').slice(0, 7)}`

      await real.scene.schedule()
      await until(async () => (await resultOf(real)) === 'Passed', TIMEOUT_MS)

      const console = await real.console()
      expect(console).toContain(` from a param in the west ******** ${label}\n`)
      expect(console).not.toContain('hunter22')
      const agents = z
        .array(z.object({ agent_name: z.string(), uuid: z.string() }))
        .parse(await jsonOf(await real.scene.get('/api/agents')))
      const [job] = (await real.scene.stage()).jobs
      expect(agents.find(({ uuid }) => uuid === job?.agent_uuid)?.agent_name).toBe('one')
    },
  )

  it('ends although the server refuses many artifacts before it has them', async () => {
    const real = await RealBuilds.open({ flags: ['--max-artifact', '1MiB'] })
    const many = 200
    const script = `head -c 8000000 /dev/zero >big0; for n in $(seq 1 ${many - 1}); do ln big0 big$n; done`
    const artifacts = [element('artifact', { src: 'big*' })]
    await real.scene.configure(pipelineOf(script, { artifacts }))
    real.agent('one')
    await real.scene.schedule()

    await until(async () => (await resultOf(real)) !== 'Unknown', TIMEOUT_MS)

    expect(await resultOf(real)).toBe('Failed')
    expect(await real.console()).toContain(`${many} artifacts are lost`)
  })

  it('is cancelled within 6 seconds, with its processes', { tags: ['long'] }, async () => {
    const real = await RealBuilds.open()
    await real.scene.configure(pipelineOf(waiting(real.folder)))
    real.agent('one')
    await real.scene.schedule()
    await until(async () => (await real.console()).includes('on its way'), TIMEOUT_MS)
    const pid = pidIn(real.folder)
    expect(isAlive(pid)).toBe(true)

    const cancelled = Date.now()
    await real.scene.post('/api/stages/app/build/cancel')
    await until(() => !isAlive(pid), TIMEOUT_MS)

    expect(Date.now() - cancelled).toBeLessThan(6_000)
    expect(await resultOf(real)).toBe('Cancelled')
    await until(async () => (await real.console()).includes('Job completed'), TIMEOUT_MS)
  })

  it('goes on when the server is killed in the middle and started again', async () => {
    const real = await RealBuilds.open()
    await real.scene.configure(pipelineOf(waiting(real.folder)))
    real.agent('one')
    await real.scene.schedule()
    await until(async () => (await real.console()).includes('on its way'), TIMEOUT_MS)

    await real.killServer()
    expect(await resultOf(real)).toBe('Unknown')
    real.proceed()
    await until(async () => (await resultOf(real)) === 'Passed', TIMEOUT_MS)

    expect((await real.console()).match(/ on its way$/gm)).toHaveLength(1)
    expect(await real.console()).toContain('went on')
    expect((await real.scene.history()).pagination.total).toBe(1)
  })

  it(
    'goes to another agent when its own is killed, which leaves no process behind',
    { tags: ['long'] },
    async () => {
      const real = await RealBuilds.open()
      await real.scene.configure(pipelineOf(waiting(real.folder)))
      const first = real.agent('one')
      await real.scene.schedule()
      await until(async () => (await real.console()).includes('on its way'), TIMEOUT_MS)
      const pid = pidIn(real.folder)
      const [before] = (await real.scene.stage()).jobs

      first.process.kill('SIGKILL')
      await until(() => !isAlive(pid), TIMEOUT_MS)
      real.agent('two')
      real.proceed()
      await until(async () => (await resultOf(real)) === 'Passed', TIMEOUT_MS)

      const [after] = (await real.scene.stage()).jobs
      expect(after?.id).not.toBe(before?.id)
      expect(after?.agent_uuid).not.toBe(before?.agent_uuid)
      const lost = await real.scene.get(`/api/agents/${before?.agent_uuid}/job_run_history`)
      expect(await jsonOf(lost)).toMatchObject({ jobs: [{ id: before?.id, state: 'Rescheduled' }] })
    },
  )
})
