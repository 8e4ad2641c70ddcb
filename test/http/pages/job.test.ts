import { describe, expect, it } from 'vitest'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

const JOB = '/stages/app/build/1/1/unit'

async function assigned() {
  const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
  await scene.schedule()
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  const job = await agent.work()
  return { scene, agent, job, says: (text: string, at = 0) => agent.append(job.jobId, at, text) }
}

function consoleIn(page: string): string {
  return /<ol class="console".*?<\/ol>/s.exec(page)?.[0] ?? ''
}

describe('the page of a job', () => {
  it('shows its states with their times, its agent and the end of its console', async () => {
    const { scene, agent, job, says } = await assigned()
    await says('10:00:00.000 one\n10:00:00.001 two\nnot yet a li')

    const page = await pageOf(scene.service, JOB)
    await agent.finish(job)
    const after = await pageOf(scene.service, JOB)

    expect(page).toMatch(/Scheduled.*UTC.*Assigned.*UTC/s)
    expect(page).toContain('<a href="/agents/a1">host-a1</a>')
    expect(consoleIn(page)).toMatch(
      /<li value="1"><time [^>]+>10:00:00\.000<\/time> one\n<\/li><li value="2">/,
    )
    expect(consoleIn(page)).toContain('data-next="2"')
    expect(page).not.toContain('not yet a li')
    expect(consoleIn(after)).toContain('<li value="3">not yet a li')
    expect(after).toMatch(/Completing.*Completed/s)
    expect(after).toContain('href="/files/app/1/build/1/unit/cruise-output/console.log"')
  })

  it('says at its head how it failed, with a link to that line, and folds what prepared it', async () => {
    const { scene, agent, job, says } = await assigned()
    const lines = [
      'Job started app/1/build/1/unit',
      'Start to update materials',
      'Checking out revision 1 of origin to .',
      "Setting environment variable 'A' to value 'b'",
      'Start to execute task: make',
    ].map((text) => `10:00:00.000 [cairn] ${text}\n`)
    await says(
      `${lines.join('')}10:00:01.000 boom\n10:00:01.000 [cairn] The task ended with exit code 3\n`,
    )
    const early = await pageOf(scene.service, JOB)
    await agent.finish(job, 'Failed')

    const page = await pageOf(scene.service, JOB)

    const outcome = /<p data-part="outcome">.*?<\/p>/s.exec(page)?.[0] ?? ''
    expect(outcome).toMatch(/Failed.*with <a href="#failure">exit code 3<\/a>.*after/s)
    expect(page).toMatch(
      /<li value="7" id="failure"><time [^>]+>[^<]+<\/time>[^<]*The task ended with exit code 3/,
    )
    const setUp = /<details class="set-up".*?<\/details>/s.exec(page)?.[0] ?? ''
    expect(setUp).toContain('Set-up, 4 lines')
    expect(setUp).toContain('<li value="4">')
    expect(setUp).not.toContain('Start to execute task')
    expect(early).not.toContain('exit code 3</a>')
  })

  it('leads to the other jobs of its run, and runs again alone', async () => {
    const jobs = [{ name: 'unit' }, { name: 'e2e' }]
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages: [{ jobs }] }] })
    await scene.schedule()
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work(), 'Failed')
    const early = await pageOf(scene.service, JOB)
    await agent.finish(await agent.work())

    const page = await pageOf(scene.service, JOB)
    const rerun = { action: 'chosen', jobs: 'unit' }
    const started = await sendForm(scene.service, '/stages/app/build/1/1', rerun)

    const siblings = /<nav class="siblings".*?<\/nav>/s.exec(page)?.[0] ?? ''
    expect(siblings).toMatch(/unit" aria-current="true".*Failed.*build\/1\/1\/e2e">.*Passed/s)
    expect(early).not.toContain('Rerun this job')
    expect(page).toMatch(/action="\/stages\/app\/build\/1\/1".*value="unit".*Rerun this job/s)
    expect(started.status).toBe(303)
    expect((await scene.stage('1/2')).jobs.map((each) => each.rerun)).toEqual([true, false])
  })

  it('has no link to a console that is not there yet', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await scene.schedule()

    const waiting = await pageOf(scene.service, JOB)

    expect(waiting).toContain('No output yet')
    expect(waiting).toContain('No files yet')
    expect(waiting).not.toContain('cruise-output/console.log')
    const links = Array.from(waiting.matchAll(/href="(\/(?:files|stages|pipelines)[^"]*)"/g))
    const statuses = await Promise.all(
      links.map(async ([, path = '']) => (await scene.get(path)).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('promises no output of a job that was cancelled before it had any', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')

    const cancelled = await pageOf(scene.service, JOB)

    expect(cancelled).toContain('No output')
    expect(cancelled).toContain('No files.')
    expect(cancelled).not.toMatch(/No (output|files) yet|Follow the end/)
  })

  it('gives the lines of the console from one on, and says when nothing more comes', async () => {
    const { scene, says } = await assigned()
    await says('one\ntwo\nthree\n')

    const some = await scene.get(`${JOB}/console?startLineNumber=1`)
    const none = await scene.get(`${JOB}/console?startLineNumber=3`)

    expect(await some.text()).toBe(
      '<!doctype html><ol><li value="2">two\n</li><li value="3">three\n</li></ol>',
    )
    expect([some.headers.get('x-next-line'), some.headers.get('x-ended')]).toEqual(['3', 'false'])
    expect(await none.text()).toBe('<!doctype html><ol></ol>')
    expect(none.headers.get('x-next-line')).toBe('3')
    expect((await scene.get(`${JOB}/console?startLineNumber=x`)).status).toBe(400)
  })

  it('sends a long console in parts, and shows its end', async () => {
    const { scene, says } = await assigned()
    await says(Array.from({ length: 2_000 }, (_, n) => `line ${n}\n`).join(''))

    const page = await pageOf(scene.service, JOB)
    const followed: number[] = [0]
    for (let next = 0; next < 2_000; next = followed.at(-1) ?? 0) {
      const part = await scene.get(`${JOB}/console?startLineNumber=${next}`)
      followed.push(Number(part.headers.get('x-next-line')))
    }

    expect(page).toContain('1,500 earlier lines hidden')
    expect(page).toContain('<li value="1501">line 1500')
    expect(page).toContain('<li value="2000">line 1999')
    expect(page.match(/<[a-z]/g)?.length).toBeLessThan(1_000)
    expect(followed).toEqual([0, 500, 1_000, 1_500, 2_000])
  })

  it('keeps hostile output to its place', { tags: ['long'] }, async () => {
    const { scene, says } = await assigned()
    await says(
      [
        '<script>alert(1)</script>',
        '\u001b[31mred<b>\u001b[0m plain \u001b[1;4;92mloud',
        '\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007 \u001b[2J\u001b[1Agone',
        'evil \u202etxt.exe',
        '10%\r50%\r100%',
        'x'.repeat(9_000),
        '\u001b[31m.'.repeat(5_000),
        '</li></ol><img src=x onerror=alert(1)>',
      ].join('\n') + '\n',
    )

    const lines = consoleIn(await pageOf(scene.service, JOB)).split('</li>')

    expect(lines[0]).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(lines[1]).toContain(
      '<b class="c1">red&lt;b&gt;</b> plain <b class="c2 strong under">loud</b>',
    )
    expect(lines[2]).toContain('>link gone\n')
    expect(lines[3]).toContain('evil ⟨U+202E⟩txt.exe')
    expect(lines[4]).toContain('>100%\n')
    expect(lines[5]).toContain(' … 5000 more characters')
    expect(lines[6]?.match(/<b /g)?.length).toBeLessThan(1_000)
    expect(lines[7]).not.toContain('<img')
  })

  it('shows what the job made as a tree of links', async () => {
    const { scene, agent, job } = await assigned()
    await agent.upload(job.jobId, 'reports/deep/a & b.html', '<b>hi</b>')
    await agent.upload(job.jobId, 'out "1".txt', 'x'.repeat(2_048))

    const page = await pageOf(scene.service, JOB)

    expect(page).toMatch(/<summary>reports<\/summary>.*<summary>deep<\/summary>/s)
    expect(page).toContain(
      '<a href="/files/app/1/build/1/unit/reports/deep/a%20%26%20b.html">a &amp; b.html</a>',
    )
    expect(page).toMatch(/out &quot;1&quot;\.txt<\/a> <span class="muted">2\.0 KB/)
  })

  it(
    'leads from a job that was carried over to the run that it comes from',
    { tags: ['long'] },
    async () => {
      const jobs = [{ name: 'unit' }, { name: 'e2e' }]
      const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages: [{ jobs }] }] })
      await scene.schedule()
      const agent = await ProtocolAgent.join(scene.service, 'a1')
      const first = await agent.work()
      await agent.append(first.jobId, 0, 'said once\n')
      await agent.finish(first)
      await agent.finish(await agent.work(), 'Failed')
      await scene.post(
        '/api/stages/app/build/run/1',
        undefined,
        new URLSearchParams({ rerun: 'failed' }),
      )

      const page = await pageOf(scene.service, '/stages/app/build/1/2/unit')

      expect(page).toContain('from <a href="/stages/app/build/1/1/unit">attempt 1</a>')
      expect(consoleIn(page)).toContain('said once')
    },
  )

  it('is there for those who may view its pipeline, and for no other', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [{ group: 'guarded', authorization: GUARDED, pipelines: [{ name: 'app' }] }],
    })
    await scene.schedule()

    const statuses = await Promise.all(
      [JOB, `${JOB}/console`].map(async (path) => [
        (await scene.get(path, 'vera')).status,
        (await scene.get(path, 'pete')).status,
      ]),
    )

    expect(statuses).toEqual([
      [200, 403],
      [200, 403],
    ])
    expect(await pageOf(scene.service, JOB, 'vera')).not.toContain('Cancel the run')
    expect((await scene.get('/stages/app/build/1/1/nothing')).status).toBe(404)
    expect((await scene.get('/stages/app/build/2/1/unit')).status).toBe(404)
  })
})

async function withTabs() {
  const paths = {
    Cov: './reports//cov',
    Text: 'notes.txt',
    Gone: 'none.html',
    Out: '../x',
    All: './',
  }
  const tabs = Object.entries(paths).map(([name, path]) => element('tab', { name, path }))
  const jobs = [{ name: 'unit', tabs }]
  const scene = await BuildScene.open({
    schemaVersion: 81,
    pipelines: [{ name: 'app', stages: [{ jobs }] }],
  })
  await scene.schedule()
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  const { jobId } = await agent.work()
  await agent.upload(jobId, 'reports/cov/index.html', '<p>fine</p>')
  await agent.upload(jobId, 'notes.txt', 'text')
  return { scene, pageAt: (query: string) => pageOf(scene.service, `${JOB}${query}`) }
}

describe('the tabs of a job', () => {
  it('show artifacts on its page, without any right there', async () => {
    const { scene, pageAt } = await withTabs()

    const page = await pageAt('')
    expect(page).toContain(`href="${JOB}?tab=Cov#tabs"`)
    expect(page).not.toContain('<iframe')
    const open = await pageAt('?tab=Cov')
    expect(open).toMatch(/<iframe[^>]* sandbox="allow-scripts allow-popups"/)
    expect(open).toContain('src="/files/app/1/build/1/unit/reports/cov/index.html"')
    expect(await pageAt('?tab=Text')).toContain('src="/files/app/1/build/1/unit/notes.txt"')
    const { headers } = await scene.get(`${JOB}?tab=Cov`)
    expect(headers.get('content-security-policy')).toContain("frame-src 'self'")
  })

  it('say what the job has not left', { tags: ['long'] }, async () => {
    const { pageAt } = await withTabs()

    expect(await pageAt('?tab=Gone')).toContain('The job kept no none.html.')
    expect(await pageAt('?tab=Out')).toContain('The job kept no ../x.')
    expect(await pageAt('?tab=All')).toContain('The job kept no ./.')
    expect(await pageAt('?tab=unknown')).not.toContain('<iframe')
  })
})
